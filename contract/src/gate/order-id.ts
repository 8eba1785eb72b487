import { identifierCharactersMax, normalIdentifier } from '../identity/identifier.ts'
import type { Findings } from './issues.ts'
import { report } from './issues.ts'
import type { Properties } from './raw-event.ts'

/**
 * An order is counted once by its id, and refunds refer to it, so the id of a standard event has the normal
 * form of identifiers. An order without one cannot be counted once; its event is quarantined.
 */
export function withNormalOrder(name: string, properties: Properties, findings: Findings): Properties {
  if (!name.startsWith('$') || !Object.hasOwn(properties, 'order_id')) return properties
  const { order_id: sent } = properties
  if (typeof sent !== 'string') return properties
  const order = normalOrder(sent)
  if (order !== null) return order === sent ? properties : { ...properties, order_id: order }
  report(findings, {
    code: 'value_not_allowed',
    field: 'order_id',
    message: `Send order_id as at most ${identifierCharactersMax} characters without control characters.`,
    expected: `at most ${identifierCharactersMax} characters without control characters`,
    actual: `${sent.length} characters`,
  })
  return properties
}

/** Empty if the event names no order, null if its id has no normal form. */
export function normalOrder(sent: string): string | null {
  const normal = normalIdentifier(sent)
  if ('value' in normal) return normal.value
  return normal.refused === 'empty' ? '' : null
}
