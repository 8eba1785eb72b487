import type { LineMember } from '../../store/event-columns.ts'

/** A member of a line; nothing if it is empty. */
export function text(column: LineMember, value: string): string {
  return value === '' ? '' : `,"${column}":${quote(value)}`
}

/** Printable ASCII without quotes and backslashes, which nearly every value consists of. */
const plain = /^[ !#-[\]-~]*$/
/** Up to this length the test costs less than the call of JSON.stringify, measured. */
const plainCharsMax = 64

export function quote(value: string): string {
  if (value.length <= plainCharsMax && plain.test(value)) return `"${value}"`
  return wellFormed(JSON.stringify(value))
}

/** The escape itself, not the same letters after an escaped backslash. */
const loneSurrogate = /(?<=(?:^|[^\\])(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

/**
 * A lone surrogate is legal in a JavaScript string and is written as an escape that the store refuses. It is
 * replaced, so that no sender can make a line that cannot be loaded. Asked of each text as it is written: a line is
 * put together from many, and looking through it would first copy them all.
 */
export function wellFormed(written: string): string {
  return written.includes('\\ud') ? written.replace(loneSurrogate, '\\ufffd') : written
}

/** In one piece: a text put together from others keeps them all, and is copied piece by piece each time. */
export function flat(pieces: string): string {
  return Buffer.from(pieces).toString()
}
