import type { Reading } from '../raw-event.ts'

export type EventReading = Exclude<Reading, { kind: 'alias' }>

/** An alias is a command to identity resolution, not an event. */
export function withoutAlias(reading: Reading): EventReading {
  if (reading.kind !== 'alias') return reading
  const finding = { code: 'malformed_event', field: 'type', expected: 'an event', actual: 'alias' } as const
  return {
    kind: 'unreadable',
    findings: [{ ...finding, message: 'An alias is not an event; send identify instead.' }],
  }
}
