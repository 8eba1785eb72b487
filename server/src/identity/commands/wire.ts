import {
  eventIdCharactersMax,
  type FieldError,
  isRecord,
  normalIdentifier,
  Problem,
  type RawEvent,
  type Verdict,
} from '@assay/contract'
import { type Identifier, isOurs } from '../graph/identifier.ts'
import { normalise } from '../graph/normal-form.ts'

/** The first spelling that is present. */
function firstOf(body: Readonly<Record<string, unknown>>, spellings: readonly string[]) {
  for (const field of spellings) {
    const value = body[field]
    if (value !== undefined && value !== null) return { field, value }
  }
  return undefined
}

const readable: Readonly<Record<string, string>> = {
  empty: 'must not be empty',
  too_long: 'is too long',
  junk: 'identifies no one; omit the identifier if there is none',
  malformed: 'is not of the form that this type has',
}

function invalid(field: string, message: string, code = 'malformed_event'): Problem {
  const errors: FieldError[] = [{ field, message, code }]
  return new Problem('contract-violation', { detail: `${field} ${message}.`, errors })
}

function identifierOf(field: string, type: string, value: unknown): Identifier {
  if (typeof value !== 'string' && typeof value !== 'number') throw invalid(field, 'must be a string')
  const found = normalise({ type, value: String(value) })
  if ('refused' in found) throw invalid(field, readable[found.refused] ?? 'is refused', found.refused)
  return { type, value: found.value }
}

export type IdentifyCall = {
  /** Of a person whom the caller knows: the strongest first. */
  known: [Identifier, ...Identifier[]]
  anonymous: Identifier | null
  traits: Readonly<Record<string, unknown>>
  /** Time of the call. */
  setMs: number
  eventId: string
}

/** The person of an identify event, and the traits that the gate accepted. */
export function readIdentify(
  { personId, userId, anonymousId }: Pick<RawEvent, 'personId' | 'userId' | 'anonymousId'>,
  { properties, ts }: Pick<Verdict, 'properties' | 'ts'>,
  eventId: string,
): IdentifyCall {
  const known = [
    ...(personId === undefined ? [] : [identifierOf('person_id', 'person_id', personId)]),
    ...(userId === undefined ? [] : [identifierOf('user_id', 'user_id', userId)]),
  ]
  const [first, ...rest] = known
  if (first === undefined) throw invalid('user_id', 'must be given, unless person_id is')
  const { user_id: _, ...traits } = properties
  return {
    known: [first, ...rest],
    anonymous: anonymousId === undefined ? null : identifierOf('anonymous_id', 'anonymous_id', anonymousId),
    traits,
    setMs: ts,
    eventId,
  }
}

export type AliasEnd = { identifier: Identifier /** Its type was not given. */; isPlain: boolean }
export type AliasCall = { from: AliasEnd; to: AliasEnd; eventId: string | null }

/** `{from | previous_id, to | user_id}`: plain values, or `{type, value}`. */
export function readAlias(wire: Readonly<Record<string, unknown>>): AliasCall {
  const from = firstOf(wire, ['from', 'previous_id', 'previousId'])
  const to = firstOf(wire, ['to', 'user_id', 'userId'])
  if (from === undefined) throw invalid('from', 'must be given')
  if (to === undefined) throw invalid('to', 'must be given')
  return {
    from: readEnd(from.field, from.value),
    to: readEnd(to.field, to.value),
    eventId: eventIdIn(wire),
  }
}

const typePattern = /^[a-z][a-z0-9_]{0,39}$/

function readEnd(field: string, value: unknown): AliasEnd {
  if (!isRecord(value)) {
    const isId = typeof value === 'string' && isOurs(value.trim())
    return { identifier: identifierOf(field, isId ? 'person_id' : 'user_id', value), isPlain: !isId }
  }
  const { type } = value
  if (typeof type !== 'string' || !typePattern.test(type)) {
    throw invalid(`${field}.type`, 'must be the type of an identifier')
  }
  return { identifier: identifierOf(`${field}.value`, type, value.value), isPlain: false }
}

/** Everyone whom an alias may concern: the type of a plain end is found out later. */
export function identifiersOf({ from, to }: AliasCall): Identifier[] {
  const asDevice = { type: 'anonymous_id', value: from.identifier.value }
  return [to.identifier, from.identifier, ...(from.isPlain ? [asDevice] : [])]
}

export function eventIdIn(wire: Readonly<Record<string, unknown>>): string | null {
  const found = firstOf(wire, ['event_id', 'messageId'])?.value
  const normal = typeof found === 'string' ? normalIdentifier(found, eventIdCharactersMax) : null
  return normal !== null && 'value' in normal ? normal.value : null
}

/** Postgres stores every character but NUL, and no lone surrogate. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '')
}
