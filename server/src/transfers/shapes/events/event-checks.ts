import { identifierCharactersMax, outcomes } from '@assay/contract'
import { Type } from 'typebox'
import { type EventContent, eventColumnList } from '../../../store/event-columns.ts'
import { shaped } from '../../import/json-check.ts'
import {
  type Check,
  decimal,
  hash64,
  id,
  named,
  nullable,
  oneOf,
  orEmpty,
  personId,
  stored,
  storedTime,
  whole,
  workspace,
} from '../../import/value-checks.ts'

/** An identifier, or the name of an event. */
export const identifier = stored(identifierCharactersMax)
/** Names are bounded by the size of an event, 32 KB. */
export const name = stored(32_768)
/** Addresses, titles and the like are cut when they come in. */
export const words = stored(4_096)
/** What was judged is an event of 32 KB, with names of ours and with every character escaped. */
export const jsonCharactersMax = 400_000
export const anyJson = { charactersMax: jsonCharactersMax, isAnyCharacter: true } as const
export const jsonObject = orEmpty(shaped(Type.Object({}), anyJson))
export const issues = orEmpty(
  shaped(Type.Array(Type.Object({ code: Type.String({ maxLength: 100 }) })), anyJson),
)
export const site = named('sites')
export const person = orEmpty(personId)
export const bit = whole(0, 1)
export const count = whole(0, 1e15)
/** Microseconds until the last year that times are stored of, and as many more. */
export const arrival = whole(0, 9e15)
export const uint32 = whole(0, 4_294_967_295)
export const outcome = oneOf(outcomes)
export const run = id('run')

export const columnsOf = (names: readonly string[], check: Check) =>
  Object.fromEntries(names.map((column) => [column, check]))

const checks: Readonly<Record<EventContent, Check>> = {
  workspace,
  site,
  time: storedTime,
  arrival,
  milliseconds: whole(-1e15, 1e15),
  'event name': name,
  identifier,
  person,
  hash: hash64,
  outcome,
  issues,
  text: words,
  bit,
  money: decimal,
  'JSON object': jsonObject,
}

export const eventRow: Readonly<Record<string, Check>> = Object.fromEntries(
  eventColumnList.map(([column, { type, content }]) => [
    column,
    type.startsWith('Nullable(') ? nullable(checks[content]) : checks[content],
  ]),
)
