import type { Metrics } from '../platform/metrics.ts'
import type { Control } from './control.ts'
import type { Events } from './events.ts'

/** Both stores, with the time of every statement counted. */
export function measuredStores(
  { control, events }: { control: Control; events: Events },
  { stated }: Pick<Metrics, 'stated'>,
): { control: Control; events: Events } {
  const timed = async <Result>(store: 'events' | 'control', call: () => Promise<Result>): Promise<Result> => {
    const startedMs = performance.now()
    let hasFailed = true
    try {
      const result = await call()
      hasFailed = false
      return result
    } finally {
      stated(store, (performance.now() - startedMs) / 1000, hasFailed)
    }
  }
  return {
    control: {
      ...control,
      query: (...statement) => timed('control', () => control.query(...statement)),
      transaction: (work) => timed('control', () => control.transaction(work)),
    },
    events: {
      ...events,
      query: (...statement) => timed('events', () => events.query(...statement)),
      bytes: (...statement) => timed('events', () => events.bytes(...statement)),
      command: (...statement) => timed('events', () => events.command(...statement)),
      insertRows: (...insert) => timed('events', () => events.insertRows(...insert)),
      insertFile: (...insert) => timed('events', () => events.insertFile(...insert)),
    },
  }
}
