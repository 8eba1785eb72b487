import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { openControl } from '../store/control.ts'
import { migrateControl } from '../store/migrations/migrate.ts'
import { endWithOwner } from './owner.ts'
import { startPostgres } from './postgres-server.ts'

/** A process of its own, for all workers together: a Postgres server with a migrated database, which worlds copy. */
const directory = process.argv[2]
if (directory === undefined) throw new Error('usage: prepare-postgres.ts <directory>')

const server = await startPostgres()
endWithOwner(directory, () => process.kill(server.processId, 'SIGKILL'))
// The end of the run ends the server, as it ends this process.
mkdirSync(`${directory}-server`)
writeFileSync(`${directory}-server/pid`, String(server.processId))
const template = await server.url('template_control')
const control = await openControl({ dataDir: directory, url: template })
await migrateControl(control)
// What is copied must have no connections.
await control.close()
writeFileSync(`${directory}/ready.tmp`, JSON.stringify({ template }))
renameSync(`${directory}/ready.tmp`, `${directory}/ready.json`)
