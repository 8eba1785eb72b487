import type { Metrics } from '../platform/metrics.ts'
import type { SpanWanted, Tracer } from '../platform/tracing/tracer.ts'
import type { Control } from './control.ts'
import type { Events } from './events.ts'

type Store = 'events' | 'control'

/** Both stores, with the time of every statement counted, and a span for it within the work that it is a part of. */
export function measuredStores(
  { control, events }: { control: Control; events: Events },
  { stated }: Pick<Metrics, 'stated'>,
  tracer: Tracer | null,
): { control: Control; events: Events } {
  const timed = async <Result>(
    store: Store,
    statement: string,
    call: () => Promise<Result>,
  ): Promise<Result> => {
    const startedMs = performance.now()
    let hasFailed = true
    try {
      const result = await (tracer === null ? call() : tracer.runWithin(spanOf(store, statement), call))
      hasFailed = false
      return result
    } finally {
      stated(store, (performance.now() - startedMs) / 1000, hasFailed)
    }
  }
  return {
    control: {
      ...control,
      query: (...statement) => timed('control', statement[0], () => control.query(...statement)),
      transaction: (work) => timed('control', 'TRANSACTION', () => control.transaction(work)),
    },
    events: {
      ...events,
      query: (...statement) => timed('events', statement[0], () => events.query(...statement)),
      bytes: (...statement) => timed('events', statement[0], () => events.bytes(...statement)),
      command: (...statement) => timed('events', statement[0], () => events.command(...statement)),
      insertRows: (...insert) =>
        timed('events', `INSERT INTO ${insert[0]}`, () => events.insertRows(...insert)),
      insertFile: (...insert) =>
        timed('events', `INSERT INTO ${insert[0]}`, () => events.insertFile(...insert)),
    },
  }
}

const systems = { control: 'postgresql', events: 'clickhouse' } as const
const verb = /^\s*(\w+)/
const table = /\b(?:FROM|INTO|UPDATE|TABLE)\s+([a-z]\w*)/i

/** What the statement does and to which table. Never its text: filters may be a part of it. */
function spanOf(store: Store, statement: string): SpanWanted {
  const operation = verb.exec(statement)?.[1]?.toUpperCase() ?? 'OTHER'
  const [, collection] = table.exec(statement) ?? []
  return {
    name: `${store} ${operation}`,
    attributes: {
      'db.system.name': systems[store],
      'db.operation.name': operation,
      ...(collection !== undefined && { 'db.collection.name': collection }),
    },
  }
}
