import type { PropertyType } from '../../registry/event-contract.ts'

/** Returned by `coerce` when no lossless conversion exists. */
export const notConvertible = Symbol('notConvertible')

// JSON's own number grammar: no plus sign, no leading zero (an id such as 007 is not the number 7), no
// spaces.
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** A double keeps any decimal of 15 significant digits (IEEE 754, DBL_DIG). */
const significantDigitsMax = 15

export function hasType(value: unknown, type: PropertyType): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value)
  return typeof value === type
}

/** Converts only without loss: the original value could be restored from the result. */
export function coerce(value: unknown, type: PropertyType): unknown {
  if (type === 'number' && typeof value === 'string') return numberOf(value)
  if (type === 'boolean') return booleanOf(value)
  if (type === 'string' && typeof value === 'boolean') return String(value)
  if (type === 'string' && typeof value === 'number' && Number.isFinite(value)) return String(value)
  return notConvertible
}

function numberOf(text: string): unknown {
  // The longest decimal worth trying: sign, 15 digits, point, zeros of padding and an exponent.
  if (text.length > 40 || !jsonNumber.test(text)) return notConvertible
  const mantissa = text.replace(/[eE].*$/, '').replace(/[-.]/g, '')
  const digits = mantissa.replace(/^0+/, '').replace(/0+$/, '')
  const number = Number(text)
  const isUnderflow = number === 0 && digits !== ''
  return digits.length <= significantDigitsMax && Number.isFinite(number) && !isUnderflow
    ? number
    : notConvertible
}

function booleanOf(value: unknown): unknown {
  if (value === 1 || value === 0) return value === 1
  if (typeof value !== 'string' || value.length > 5) return notConvertible
  const word = value.toLowerCase()
  if (word === 'true') return true
  return word === 'false' ? false : notConvertible
}

/** The number that a text stands for, if the gate would convert it; else null. */
export function numberIn(text: string): number | null {
  const number = numberOf(text)
  return typeof number === 'number' ? number : null
}
