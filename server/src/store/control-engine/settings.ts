import { PGlite } from '@electric-sql/pglite'

/**
 * Postgres touches all of its shared memory at the start. What it does not cache there is in the cache of the
 * system anyway, since its files are those of the host.
 */
const memory = ['shared_buffers=16MB', 'wal_buffers=1MB']

export const postgresSettings: string[] = [
  ...PGlite.defaultStartParams,
  ...memory.flatMap((setting) => ['-c', setting]),
]
