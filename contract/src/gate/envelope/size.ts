import { propertyNameCharactersMax } from '../../maxima.ts'
import type { Finding } from '../issues.ts'
import type { Properties, RawEvent } from '../raw-event.ts'
import { isRecord } from '../raw-event.ts'

/** The limits of one event (decisions, ingest). */
export const eventBytesMax = 32 * 1024
export const propertiesMax = 255
/** Names and indexes in the path of a value: `items[0].sku` is three deep. */
export const depthMax = 5

/** A UTF-16 unit takes at most six bytes in JSON, as a `\u` escape. */
const bytesPerUnitMax = 6
/** Unknown members may be nested at will; what is deeper is neither counted nor stored. */
const countedDepthMax = 64
/** Quotes, colon, comma and brackets of one value, and the longest number. */
const bytesPerValueMax = 32

type Measure = { units: number; values: number; depth: number; nameUnits: number; beyondDouble: number }

type EventSize = { findings: Finding[] /** Approximate size as JSON. */; characters: number }

/**
 * Which limits an event exceeds. The exact size is counted only if the cheap upper bound exceeds the limit.
 */
export function measureEvent(raw: RawEvent): EventSize {
  const measure: Measure = { units: 0, values: 1, depth: 0, nameUnits: 0, beyondDouble: 0 }
  measureMembers(raw.properties, 1, measure)
  measureMembers(raw.context, 1, measure)
  const findings: Finding[] = []
  const bytes = sizeOf(raw, measure)
  if (bytes > eventBytesMax) findings.push(tooLarge('', `${eventBytesMax} bytes`, `${bytes} bytes`))
  // Names are counted only if there are many values at all.
  const count = measure.values > propertiesMax ? Object.keys(raw.properties).length : 0
  if (count > propertiesMax)
    findings.push(tooLarge('properties', `${propertiesMax} properties`, `${count} properties`))
  if (measure.depth > depthMax) {
    findings.push(tooLarge('properties', `${depthMax} levels deep`, `more than ${depthMax} levels deep`))
  }
  if (measure.nameUnits > propertyNameCharactersMax) {
    const expected = `${propertyNameCharactersMax} characters in the name of a property`
    findings.push(tooLarge('properties', expected, `${measure.nameUnits} characters`))
  }
  if (measure.beyondDouble > 0) findings.push(beyondDouble(measure.beyondDouble))
  return { findings, characters: Math.min(raw.envelopeBytes + measure.units, eventBytesMax) }
}

function sizeOf(raw: RawEvent, measure: Measure): number {
  if (raw.sizeBytes !== undefined) return raw.sizeBytes
  const bound = raw.envelopeBytes + measure.units * bytesPerUnitMax + measure.values * bytesPerValueMax
  if (bound <= eventBytesMax) return bound
  // A value nested beyond the limit is refused for its depth; counting it could overflow the stack.
  if (measure.depth > depthMax) return raw.envelopeBytes
  return raw.envelopeBytes + jsonBytes(raw.properties) + jsonBytes(raw.context)
}

/** Bytes of all members of an item except those measured separately, known or not. */
export function envelopeBytesOf(input: Properties, isMeasuredApart: (name: string) => boolean): number {
  let bytes = 2
  for (const name of Object.keys(input)) {
    if (isMeasuredApart(name)) continue
    bytes += textBytes(name) + jsonBytes(input[name]) + 2
  }
  return bytes
}

function measureMembers(members: Properties, depth: number, measure: Measure): void {
  for (const key of Object.keys(members)) {
    measure.units += key.length
    if (key.length > measure.nameUnits) measure.nameUnits = key.length
    measureValue(members[key], depth, measure)
  }
}

function measureValue(value: unknown, depth: number, measure: Measure): void {
  if (depth > measure.depth) measure.depth = depth
  measure.values += 1
  if (typeof value === 'string') measure.units += value.length
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) measure.beyondDouble += 1
  } else if (typeof value === 'object' && value !== null && depth <= depthMax) {
    if (Array.isArray(value)) for (const element of value) measureValue(element, depth + 1, measure)
    else if (isRecord(value)) measureMembers(value, depth + 1, measure)
  }
}

/** Bytes of a value as compact JSON in UTF-8. */
export function jsonBytes(value: unknown, depth = 0): number {
  if (typeof value === 'string') return textBytes(value)
  if (typeof value !== 'object' || value === null) return String(value).length
  if (depth > countedDepthMax) return 2
  const isArray = Array.isArray(value)
  let bytes = 2
  for (const [key, member] of Object.entries(value)) {
    bytes += jsonBytes(member, depth + 1) + 1 + (isArray ? 0 : textBytes(key) + 1)
  }
  return bytes
}

/** What takes more than one byte. */
const notPlain = /[^ !#-[\]-\u007f]/

/** Most texts are plain throughout, and to search one takes a quarter of what counting its units does. */
function textBytes(text: string): number {
  const first = text.search(notPlain)
  if (first === -1) return text.length + 2
  let bytes = first + 2
  for (let index = first; index < text.length; index += 1) bytes += unitBytes(text.charCodeAt(index))
  return bytes
}

function unitBytes(unit: number): number {
  if (unit === 0x22 || unit === 0x5c) return 2
  if (unit < 0x20)
    return unit === 0x08 || unit === 0x09 || unit === 0x0a || unit === 0x0c || unit === 0x0d ? 2 : 6
  if (unit < 0x80) return 1
  // Each half of a surrogate pair counts two of its four bytes.
  if (unit >= 0xd800 && unit <= 0xdfff) return 2
  return unit < 0x800 ? 2 : 3
}

/** JSON allows numbers beyond a double: 1e400. */
function beyondDouble(count: number): Finding {
  return {
    code: 'unexpected_type',
    field: 'properties',
    message: 'Send numbers below 1.8e308; larger ones were stored as null.',
    expected: 'a number that a double holds',
    actual: `${count} beyond it`,
  }
}

function tooLarge(field: string, expected: string, actual: string): Finding {
  const message = `Send less in one event: at most ${expected} are taken.`
  return { code: 'event_too_large', field, message, expected: `at most ${expected}`, actual }
}
