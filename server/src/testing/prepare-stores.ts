import { renameSync, writeFileSync } from 'node:fs'
import { readConfig } from '../config.ts'
import { openEvents } from '../store/events.ts'
import { migrateEvents } from '../store/migrations/migrate.ts'
import { startClickHouseHttp } from './clickhouse-http.ts'
import { makeControlTemplate } from './control-template.ts'
import { endWithOwner } from './owner.ts'

/**
 * A process of its own, for all test files together: one events engine behind HTTP, since it takes seconds and a
 * gigabyte to open, and a migrated control store to copy, which opens many times faster than an empty one.
 */
const directory = process.argv[2]
if (directory === undefined) throw new Error('usage: prepare-stores.ts <directory>')

endWithOwner(directory)

// ASSAY_ENGINE=portable tries the reads on the other engine where both are installed.
const server = await startClickHouseHttp({ path: `${directory}/events`, kind: readConfig().engine })
const events = await openEvents({ dataDir: directory, logDir: directory, url: server.url })
await migrateEvents(events)
await makeControlTemplate(`${directory}/template`)
// Renaming makes the file appear whole: who waits for it never reads half of it.
writeFileSync(`${directory}/ready.tmp`, JSON.stringify({ clickhouseUrl: server.url }))
renameSync(`${directory}/ready.tmp`, `${directory}/ready.json`)
