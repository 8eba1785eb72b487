import { isRecord } from '@assay/contract'

/** Where each store of an installation is. One on a server is not part of a backup. */
export type Stores = Readonly<Record<'control' | 'events', 'embedded' | 'server'>>

/** Backups of older releases are of embedded stores. */
export function readStores(value: unknown): Stores {
  const kindOf = (kind: unknown) => (kind === 'server' ? 'server' : 'embedded')
  return isRecord(value)
    ? { control: kindOf(value.control), events: kindOf(value.events) }
    : { control: 'embedded', events: 'embedded' }
}

const commands = {
  backup: {
    control: 'pg_dump --format=custom --file=assay-control.dump "$ASSAY_POSTGRES_URL"',
    events: `clickhouse-client --query "BACKUP DATABASE assay TO Disk('backups', 'assay-events.zip')"`,
  },
  restore: {
    control: 'pg_restore --clean --if-exists --no-owner --dbname="$ASSAY_POSTGRES_URL" assay-control.dump',
    events: `clickhouse-client --query "RESTORE DATABASE assay FROM Disk('backups', 'assay-events.zip')"`,
  },
} as const

const names = { control: 'Postgres', events: 'ClickHouse' } as const

/** What has to be run for stores that are not in a backup. */
export function serverStoreLines(stores: Stores | undefined, act: 'backup' | 'restore'): string[] {
  const known = readStores(stores)
  const missing = (['control', 'events'] as const).filter((store) => known[store] === 'server')
  const when = act === 'backup' ? 'Back it up now, after this copy' : 'Restore it before you start the server'
  return missing.flatMap((store) => [`${names[store]} is not in it. ${when}:`, `  ${commands[act][store]}`])
}
