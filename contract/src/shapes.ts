import { type TObjectOptions, type TSchema, Type } from 'typebox'
import { identifierCharactersMax } from './identifier.ts'

/** RFC 3339 in UTC, as every answer writes it. */
export const Time = Type.String({ description: 'RFC 3339, UTC' })

export const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: 'nextCursor of the page before' })),
}

/** A page of a list on surfaces A and C; surface B says `next_cursor`. */
export function Page<Item extends TSchema>(item: Item) {
  return Type.Object({ data: Type.Array(item), nextCursor: Type.Union([Type.String(), Type.Null()]) })
}

export function SnakePage<Item extends TSchema>(item: Item) {
  return Type.Object({ data: Type.Array(item), next_cursor: Type.Union([Type.String(), Type.Null()]) })
}

/** A union of string literals, as a JSON Schema `enum` that still has a literal type. */
export function OneOf<const Values extends readonly string[]>(values: Values, options: object = {}) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options })
}

/** In schemas a dot stands for no line break, so the usual pattern would let such a key by with any value at all. */
const anyKey = '^[\\s\\S]*$'

/** An object with keys of any kind, all of whose values are of one shape. */
export function Dictionary<Value extends TSchema>(value: Value, options: TObjectOptions = {}) {
  return Type.Record(Type.String({ pattern: anyKey }), value, options)
}

/** RFC 5321: an address is at most 254 characters long. */
export const emailLengthMax = 254
const emailShape = /^[^\s@<>",;:\\()[\]]{1,64}@[^\s@<>",;:\\()[\]]{1,189}$/

/** What mail servers can deliver to is theirs to say; this tells an address from a slip of the hand. */
export function isEmail(text: string): boolean {
  return text.length <= emailLengthMax && emailShape.test(text.trim())
}

/** In a question: an id that we gave out, or the sender's own `person_id`. */
export const PersonReference = Type.String({
  minLength: 1,
  maxLength: identifierCharactersMax,
  description:
    'An id of ours, of now or of before a merge, or a `person_id` that a sender gave; answers give ours',
})
