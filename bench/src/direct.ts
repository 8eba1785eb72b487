/**
 * The bare limit of reads: opens the product's own events store, with the product stopped, and runs the
 * statements of an overview without anything around them. A program of its own, so its memory is its own.
 *
 *   node direct.ts <data dir> <workspace id> <site id> <from ms> <to ms> <times>
 *
 * Prints one line of JSON: the statements, and how long each run of all of them took.
 */
import { readOverview } from '../../server/src/analytics/overview.ts'
import { type Events, type EventsRow, openEvents, type QueryParams } from '../../server/src/store/events.ts'

export type DirectResult = {
  readonly engine: string
  readonly statements: readonly string[]
  readonly runsMs: readonly number[]
}

type Statement = { readonly sql: string; readonly params: QueryParams }

const [dataDir = '', workspaceId = '', siteId = '', from = '', to = '', times = ''] = process.argv.slice(2)

/** The statements are the product's own, taken down while it asks them, so they can never differ from its. */
async function takeDown(events: Events): Promise<readonly Statement[]> {
  const statements: Statement[] = []
  const listening: Events = {
    ...events,
    query: <Row extends EventsRow>(sql: string, params: QueryParams = {}) => {
      statements.push({ sql, params })
      return events.query<Row>(sql, params)
    },
  }
  const site = {
    id: siteId,
    workspace_id: workspaceId,
    name: '',
    domain: '',
    timezone: 'UTC',
    currency: 'EUR',
    ingest_token: '',
    created_at: new Date(0),
  }
  const period = { fromMs: Number(from), toMs: Number(to), timezone: 'UTC' }
  await readOverview(listening, site, { workspaceId, siteId, includeBots: false }, period, 'day')
  return statements
}

const warmUps = 3
const events = await openEvents({ dataDir, logDir: `${dataDir}/log` })
const statements = await takeDown(events)
const runsMs: number[] = []
for (let run = -warmUps; run < Number(times); run += 1) {
  const startedMs = performance.now()
  await Promise.all(statements.map(({ sql, params }) => events.query(sql, params)))
  if (run >= 0) runsMs.push(performance.now() - startedMs)
}
const result: DirectResult = {
  engine: events.engine,
  statements: statements.map(({ sql, params }) => `${sql.trim()}\n-- ${JSON.stringify(params)}`),
  runsMs,
}
console.log(JSON.stringify(result))
await events.close()
