import type { Finding } from './issues.ts'
import type { Properties, RawEvent } from './raw-event.ts'
import { isRecord } from './raw-event.ts'

/** The limits of one event (decisions, ingest). */
export const eventBytesMax = 32 * 1024
export const propertiesMax = 255
/** Names and indexes on the way to a value: `items[0].sku` is three deep. */
export const depthMax = 5

/** A UTF-16 unit takes at most six bytes in JSON, as a `\u` escape. */
const bytesPerUnitMax = 6
/** Quotes, colon, comma and brackets around one value, and the longest number. */
const bytesPerValueMax = 32

type Measure = { units: number; values: number; depth: number }

/** Says which limits an event breaks. The exact size is counted only where the cheap upper bound passes the limit. */
export function findOversize(raw: RawEvent): Finding[] {
  const measure: Measure = { units: raw.name.length, values: 1, depth: 0 }
  measureMembers(raw.properties, 1, measure)
  measureMembers(raw.context, 1, measure)
  const findings: Finding[] = []
  const bytes = sizeOf(raw, measure)
  if (bytes > eventBytesMax) findings.push(tooLarge('', `${eventBytesMax} bytes`, `${bytes} bytes`))
  // Counting names is cheap enough only once there are many values at all.
  const count = measure.values > propertiesMax ? Object.keys(raw.properties).length : 0
  if (count > propertiesMax)
    findings.push(tooLarge('properties', `${propertiesMax} properties`, `${count} properties`))
  if (measure.depth > depthMax) {
    findings.push(tooLarge('properties', `${depthMax} levels deep`, `more than ${depthMax} levels deep`))
  }
  return findings
}

function sizeOf(raw: RawEvent, measure: Measure): number {
  if (raw.sizeBytes !== undefined) return raw.sizeBytes
  const bound = measure.units * bytesPerUnitMax + measure.values * bytesPerValueMax
  if (bound <= eventBytesMax) return bound
  // A thing nested beyond the limit is refused for its depth; counting it could run out of stack.
  if (measure.depth > depthMax) return 0
  return jsonBytes(raw.name) + jsonBytes(raw.properties) + jsonBytes(raw.context)
}

function measureMembers(members: Properties, depth: number, measure: Measure): void {
  for (const key of Object.keys(members)) {
    measure.units += key.length
    measureValue(members[key], depth, measure)
  }
}

function measureValue(value: unknown, depth: number, measure: Measure): void {
  if (depth > measure.depth) measure.depth = depth
  measure.values += 1
  if (typeof value === 'string') measure.units += value.length
  else if (typeof value === 'object' && value !== null && depth <= depthMax) {
    if (Array.isArray(value)) for (const element of value) measureValue(element, depth + 1, measure)
    else if (isRecord(value)) measureMembers(value, depth + 1, measure)
  }
}

/** Bytes of a value as compact JSON in UTF-8. */
function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return textBytes(value)
  if (typeof value !== 'object' || value === null) return String(value).length
  const isArray = Array.isArray(value)
  let bytes = 2
  for (const [key, member] of Object.entries(value)) {
    bytes += jsonBytes(member) + 1 + (isArray ? 0 : textBytes(key) + 1)
  }
  return bytes
}

function textBytes(text: string): number {
  let bytes = 2
  for (let index = 0; index < text.length; index += 1) bytes += unitBytes(text.charCodeAt(index))
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

function tooLarge(field: string, expected: string, actual: string): Finding {
  const message = `Send less in one event: at most ${expected} are taken.`
  return { code: 'event_too_large', field, message, expected: `at most ${expected}`, actual }
}
