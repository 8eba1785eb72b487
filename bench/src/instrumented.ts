/**
 * The product with an ear at its events store: it takes down the statements that a request makes, and runs the
 * same ones again without anything around them. So the bare limit of a read is the product's own SQL, on its own
 * engine, in the same minute. A program that `startInstrumented` drives; to the world it is the product.
 */
import { startProduct } from '../../server/src/app.ts'
import { readConfig } from '../../server/src/config.ts'
import type { QueryParams } from '../../server/src/store/events.ts'

export type Ask =
  | { readonly kind: 'listen' }
  | { readonly kind: 'hear'; readonly about: string }
  | { readonly kind: 'run' }
export type Answer =
  | { readonly kind: 'listen' }
  | { readonly kind: 'hear'; readonly statements: readonly string[] }
  | { readonly kind: 'run'; readonly tookMs: number }

type Statement = {
  readonly sql: string
  readonly params: QueryParams | undefined
  readonly run: () => Promise<unknown>
}

const product = await startProduct(readConfig())
const { events } = product.deps
const ask = events.query
const askBytes = events.bytes
let statements: Statement[] = []
let isListening = false

events.query = (sql, params) => {
  if (isListening) statements.push({ sql, params, run: () => ask(sql, params) })
  return ask(sql, params)
}
events.bytes = (sql, params) => {
  if (isListening) statements.push({ sql, params, run: () => askBytes(sql, params) })
  return askBytes(sql, params)
}

async function answer(asked: Ask): Promise<Answer> {
  switch (asked.kind) {
    case 'listen':
      statements = []
      isListening = true
      return { kind: 'listen' }
    case 'hear':
      isListening = false
      // Jobs in the background ask too, about other things.
      statements = statements.filter(({ params }) => JSON.stringify(params ?? {}).includes(asked.about))
      return { kind: 'hear', statements: statements.map(describe) }
    case 'run': {
      const startedMs = performance.now()
      // At once, as the product asks them.
      await Promise.all(statements.map(({ run }) => run()))
      return { kind: 'run', tookMs: performance.now() - startedMs }
    }
  }
}

function describe({ sql, params }: Statement): string {
  return `${sql.trim()}\n-- ${JSON.stringify(params)}`
}

process.on('message', (asked) => {
  // boundary: only startInstrumented talks to this program.
  void answer(asked as Ask).then((answered) => process.send?.(answered))
})
process.on('SIGTERM', () => void product.close().then(() => process.exit(0)))
