/**
 * The product with an ear at its events store: it takes down the statements that a request makes, and runs the
 * same ones again without anything around them. So the bare limit of a read is the product's own SQL, on its own
 * engine, in the same minute. A program that `askInstrumented` drives; to the world it is the product.
 */
import { writeFileSync } from 'node:fs'
import { startProduct } from '../../server/src/app/app.ts'
import { readConfig } from '../../server/src/config.ts'
import { systemClock } from '../../server/src/platform/clock.ts'
import { createLogger } from '../../server/src/platform/logging/logger.ts'
import { collectGarbage } from '../../server/src/platform/node/heap.ts'
import { compileOnce } from '../../server/src/platform/node/wasm-compiler.ts'
import { isPortable } from '../../server/src/store/engine/open.ts'
import type { QueryParams } from '../../server/src/store/events.ts'
import { type Copying, countEvents, multiplyEvents } from './copies.ts'

export type Ask =
  | { readonly kind: 'listen' }
  | { readonly kind: 'hear'; readonly about: string }
  | { readonly kind: 'run' }
  | { readonly kind: 'multiply'; readonly copying: Copying }
  | { readonly kind: 'count'; readonly siteId: string; readonly fromMs: number; readonly toMs: number }
  | { readonly kind: 'held' }
  | { readonly kind: 'stored'; readonly file: string }
export type Answer =
  | { readonly kind: 'listen' }
  | { readonly kind: 'hear'; readonly statements: readonly string[] }
  | { readonly kind: 'run'; readonly tookMs: number }
  | { readonly kind: 'multiply' }
  | { readonly kind: 'count'; readonly events: number }
  | { readonly kind: 'held'; readonly longestMs: number }
  | { readonly kind: 'stored' }
  | { readonly kind: 'failed'; readonly reason: string }

type Statement = {
  readonly sql: string
  readonly params: QueryParams | undefined
  readonly run: () => Promise<unknown>
}

const write = (line: string) => console.log(line)
const logger = createLogger({ level: 'warn', format: 'json', now: systemClock, write })
const config = readConfig()
// As the product's own program does.
if (!(await isPortable(config.engine))) compileOnce()
const product = await startProduct(config, { logger, onOpened: collectGarbage })
const { events } = product.deps
const ask = events.query
const askBytes = events.bytes
let statements: Statement[] = []
let isListening = false

/** One that is refused, such as for more rows than fit in memory, would be refused again. */
async function listenTo<Result>(statement: Statement, result: Promise<Result>): Promise<Result> {
  const isHeard = isListening
  const value = await result
  if (isHeard) statements.push(statement)
  return value
}
events.query = (sql, params) => listenTo({ sql, params, run: () => ask(sql, params) }, ask(sql, params))
events.bytes = (sql, params) =>
  listenTo({ sql, params, run: () => askBytes(sql, params) }, askBytes(sql, params))

/** The longest time that the main thread was blocked since the last call, measured by a late timer. */
const beatMs = 5
let longestMs = 0
let lastBeatMs = performance.now()
setInterval(() => {
  const nowMs = performance.now()
  longestMs = Math.max(longestMs, nowMs - lastBeatMs - beatMs)
  lastBeatMs = nowMs
}, beatMs)

/** One line a row, counted or quarantined: `StoredEvent`. */
const everyEvent = `
  SELECT event_id, 'events' AS table, name, concat(properties, set_aside, context) AS content FROM events
  UNION ALL
  SELECT event_id, 'quarantine', name, held FROM quarantine
  FORMAT JSONEachRow`

async function answer(asked: Ask): Promise<Answer> {
  switch (asked.kind) {
    case 'listen':
      statements = []
      isListening = true
      return { kind: 'listen' }
    case 'hear':
      isListening = false
      // Jobs in the background ask too, about other things.
      statements = statements.filter(({ params }) => written(params).includes(asked.about))
      return { kind: 'hear', statements: statements.map(describe) }
    case 'run': {
      const startedMs = performance.now()
      // At once, as the product asks them.
      await Promise.all(statements.map(({ run }) => run()))
      return { kind: 'run', tookMs: performance.now() - startedMs }
    }
    case 'multiply':
      await multiplyEvents(events, asked.copying)
      return { kind: 'multiply' }
    case 'count':
      return { kind: 'count', events: await countEvents(events, asked) }
    case 'stored':
      writeFileSync(asked.file, await askBytes(everyEvent))
      return { kind: 'stored' }
    case 'held': {
      const held = longestMs
      longestMs = 0
      return { kind: 'held', longestMs: held }
    }
  }
}

/** Whole numbers beyond those of JSON are written as text. */
function written(params: QueryParams | undefined): string {
  return JSON.stringify(params ?? {}, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

function describe({ sql, params }: Statement): string {
  return `${sql.trim()}\n-- ${written(params)}`
}

process.on('message', (asked) => {
  // boundary: only askInstrumented talks to this program.
  const answered = answer(asked as Ask).catch((error): Answer => ({ kind: 'failed', reason: String(error) }))
  void answered.then((reply) => process.send?.(reply))
})
process.on('SIGTERM', () => void product.close().then(() => process.exit(0)))
