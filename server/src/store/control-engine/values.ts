/**
 * Parameters on their way to the thread. PGlite chooses how to write a value by the type that Postgres expects,
 * which only the thread learns; so a value arrives there as what it was here. A copy between threads would lose
 * the class of bytes, and what an object says of itself (`toJSON`, `toString`).
 */
export type SentValue =
  | null
  | undefined
  | string
  | number
  | boolean
  | bigint
  | Date
  | SentBytes
  | SentObject
  | readonly SentValue[]

type SentBytes = { kind: 'bytes'; isBuffer: boolean; bytes: Uint8Array<ArrayBuffer> }
/** Text is null where an object cannot say what it is, such as one without a prototype. */
type SentObject = { kind: 'object'; json: string; text: string | null }

export function sentValue(value: unknown): SentValue {
  switch (typeof value) {
    case 'object':
      return value === null ? null : sentObject(value)
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'undefined':
      return value
    default:
      throw new TypeError(`A ${typeof value} cannot be a parameter`)
  }
}

function sentObject(value: object): SentValue {
  if (value instanceof Date) return value
  // Its own bytes only: a small Buffer is a window on a pool of many.
  if (value instanceof Uint8Array)
    return { kind: 'bytes', isBuffer: Buffer.isBuffer(value), bytes: new Uint8Array(value) }
  if (Array.isArray(value)) return value.map(sentValue)
  return { kind: 'object', json: jsonText(value), text: textOf(value) }
}

function textOf(value: object): string | null {
  return typeof value.toString === 'function' ? value.toString() : null
}

/** As PGlite writes an object for a column of JSON. */
function jsonText(value: unknown): string {
  return JSON.stringify(value, (_name, inner) => (typeof inner === 'bigint' ? inner.toString() : inner))
}

/** Says of itself what the object of the other thread did. */
function standIn({ json, text }: SentObject): object {
  const own = { toJSON: () => JSON.parse(json), ...(text !== null && { toString: () => text }) }
  return Object.assign(Object.create(null), own)
}

export function receivedValue(value: SentValue): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (isList(value)) return value.map(receivedValue)
  if (value.kind === 'object') return standIn(value)
  return value.isBuffer ? Buffer.from(value.bytes.buffer) : value.bytes
}

const isList = (value: SentBytes | SentObject | readonly SentValue[]): value is readonly SentValue[] =>
  Array.isArray(value)
