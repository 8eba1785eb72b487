import { type TObjectOptions, type TSchema, Type } from 'typebox'
import { identifierCharactersMax } from './identity/identifier.ts'

/** RFC 3339 in UTC, as in every answer. */
export const Time = Type.String({ description: 'RFC 3339, UTC' })

export const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: 'nextCursor of the page before' })),
}

/** A page of a list on surfaces A and C; surface B writes `next_cursor`. */
export function Page<Item extends TSchema>(item: Item) {
  return Type.Object({ data: Type.Array(item), nextCursor: Type.Union([Type.String(), Type.Null()]) })
}

export function SnakePage<Item extends TSchema>(item: Item) {
  return Type.Object({ data: Type.Array(item), next_cursor: Type.Union([Type.String(), Type.Null()]) })
}

export const Nullable = <Shape extends TSchema>(shape: Shape) => Type.Union([shape, Type.Null()])

/** What is not listed is refused. */
export const exact = { additionalProperties: false } as const

/** A share of a whole. */
export const Rate = Type.Number({ minimum: 0, maximum: 1 })

/** A union of string literals, as a JSON Schema `enum` that still has a literal type. */
export function OneOf<const Values extends readonly string[]>(values: Values, options: object = {}) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options })
}

/**
 * In JSON Schema a dot does not match a line break, so the usual pattern would accept such a key with any
 * value.
 */
const anyKey = '^[\\s\\S]*$'

/** An object with arbitrary keys, whose values all have one schema. */
export function Dictionary<Value extends TSchema>(value: Value, options: TObjectOptions = {}) {
  return Type.Record(Type.String({ pattern: anyKey }), value, options)
}

/** RFC 5321: an address is at most 254 characters long. */
export const emailLengthMax = 254
const emailShape = /^[^\s@<>",;:\\()[\]]{1,64}@[^\s@<>",;:\\()[\]]{1,189}$/

/** Mail servers decide what is deliverable; this only detects mistyped addresses. */
export function isEmail(text: string): boolean {
  return text.length <= emailLengthMax && emailShape.test(text.trim())
}

/** In a request: an id that we issued, or the sender's own `person_id`. */
export const PersonReference = Type.String({
  minLength: 1,
  maxLength: identifierCharactersMax,
  description:
    'An id of ours, of now or of before a merge, or a `person_id` that a sender gave; answers give ours',
})
