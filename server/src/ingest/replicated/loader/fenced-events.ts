import type { Events, EventsRow, QueryParams } from '../../../store/events.ts'

/** The events store, as long as this process may write to it: every statement asks first. */
export function fencedEvents(events: Events, requireLease: () => void): Events {
  const fenced =
    <Args extends readonly unknown[], T>(call: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      requireLease()
      return call(...args)
    }
  return {
    ...events,
    query: async <R extends EventsRow>(sql: string, params?: QueryParams) => {
      requireLease()
      return events.query<R>(sql, params)
    },
    bytes: fenced(events.bytes),
    command: fenced(events.command),
    insertRows: fenced(events.insertRows),
    insertFile: fenced(events.insertFile),
  }
}
