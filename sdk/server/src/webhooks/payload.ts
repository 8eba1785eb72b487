import { readUtf8 } from './bytes.ts'

/** A JSON object from a vendor. Nothing about it is known before it is checked. */
export type Payload = Readonly<Record<string, unknown>>

export function isPayload(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The parsed bytes; undefined if they are not JSON. */
export function readJson(body: Uint8Array): unknown {
  const text = readUtf8(body)
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value at `a.b.0.c`; undefined where the path ends early. */
export function at(value: unknown, path: string): unknown {
  let found: unknown = value
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = Reflect.get(found, name)
  }
  return found ?? undefined
}

/** A non-empty text; numeric ids become their digits. */
export function textAt(value: unknown, path: string): string | undefined {
  const found = at(value, path)
  if (typeof found === 'number') return Number.isSafeInteger(found) ? String(found) : undefined
  return typeof found === 'string' && found.trim() !== '' ? found : undefined
}

/** The first of several paths that has a text. */
export function firstText(value: unknown, ...paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const text = textAt(value, path)
    if (text !== undefined) return text
  }
  return undefined
}

export function numberAt(value: unknown, path: string): number | undefined {
  const found = at(value, path)
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined
}

export function flagAt(value: unknown, path: string): boolean | undefined {
  const found = at(value, path)
  return typeof found === 'boolean' ? found : undefined
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = at(value, path)
  return Array.isArray(found) ? found : []
}

/** A time in ms from seconds, milliseconds or an ISO text; undefined otherwise. */
export function timeAt(value: unknown, path: string, unit: 's' | 'ms' | 'iso'): number | undefined {
  const found = at(value, path)
  if (unit === 'iso') {
    const ms = typeof found === 'string' ? Date.parse(withZone(found)) : Number.NaN
    return isTime(ms) ? ms : undefined
  }
  const digits = typeof found === 'string' && /^\d{1,15}$/.test(found) ? Number(found) : found
  if (typeof digits !== 'number' || digits <= 0) return undefined
  const ms = Math.trunc(unit === 's' ? digits * 1000 : digits)
  return isTime(ms) ? ms : undefined
}

/** The last year with four digits: later times cannot be written in the format of events. */
const timeMsMax = Date.UTC(9999, 11, 31)

const isTime = (ms: number) => Number.isFinite(ms) && Math.abs(ms) <= timeMsMax

/** Times without a zone are UTC with every vendor who sends them; `Date.parse` would treat them as local. */
function withZone(text: string): string {
  return /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(text) ? `${text}Z` : text
}
