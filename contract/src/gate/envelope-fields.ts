import type { Finding } from './issues.ts'
import type { Page, Properties } from './raw-event.ts'
import { isRecord } from './raw-event.ts'
import { readTime } from './wire-time.ts'

export const noProperties: Properties = Object.freeze({})

/** The first of several spellings of a member that is present and not null. */
export function firstOf(
  source: Properties,
  names: readonly string[],
): { name: string; value: unknown } | undefined {
  for (const name of names) {
    if (!Object.hasOwn(source, name)) continue
    const value = source[name]
    if (value !== undefined && value !== null) return { name, value }
  }
  return undefined
}

/** A text member of the envelope. A number is taken as its digits; anything else is left out, and said so. */
export function readText(
  source: Properties,
  names: readonly string[],
  findings: Finding[],
): string | undefined {
  const found = firstOf(source, names)
  if (found === undefined) return undefined
  const { name, value } = found
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (typeof value === 'number' && Number.isFinite(value)) {
    findings.push({
      code: 'type_coerced',
      field: name,
      message: `Send ${name} as a string; the number was stored as its digits.`,
      expected: 'string',
      actual: 'number',
    })
    return String(value)
  }
  findings.push({
    code: 'unexpected_type',
    field: name,
    message: `Send ${name} as a string; this value was left out.`,
    expected: 'string',
    actual: typeName(value),
  })
  return undefined
}

export function readInstant(
  source: Properties,
  names: readonly string[],
  findings: Finding[],
): number | undefined {
  const found = firstOf(source, names)
  return found === undefined ? undefined : instantOf(found.name, found.value, findings)
}

/** An unreadable time never costs the event: it is placed at the time of arrival, with a warning. */
export function instantOf(field: string, value: unknown, findings: Finding[]): number | undefined {
  const time = readTime(value)
  if (time === undefined) {
    findings.push({
      code: 'invalid_time',
      field,
      message: `Send ${field} as an RFC 3339 time with an offset, or as seconds or milliseconds since 1970; it was ignored.`,
      expected: 'RFC 3339 time or Unix number',
      actual: typeof value === 'string' ? value.slice(0, 40) : typeName(value),
    })
    return undefined
  }
  if (time.isZoneAssumed) {
    findings.push({
      code: 'type_coerced',
      field,
      message: `Send ${field} with an offset such as Z; without one it was read as UTC.`,
      expected: 'RFC 3339 time with an offset',
      actual: 'time without an offset',
    })
  }
  return time.ms
}

/** An object member of the envelope; `undefined` when it is there but no object. */
export function readRecord(source: Properties, name: string): Properties | undefined {
  const value = Object.hasOwn(source, name) ? source[name] : undefined
  if (value === undefined || value === null) return noProperties
  return isRecord(value) ? value : undefined
}

export function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

export function malformed(field: string, message: string, expected: string, actual: unknown): Finding {
  return { code: 'malformed_event', field, message, expected, actual: typeName(actual) }
}

export const missingIdentifier: Finding = {
  code: 'missing_identifier',
  field: 'anonymous_id',
  message: 'Say who did it: send anonymous_id, user_id or person_id.',
  expected: 'anonymous_id, user_id or person_id',
  actual: null,
}

function textOf(source: Properties | undefined, name: string): string | undefined {
  if (source === undefined || !Object.hasOwn(source, name)) return undefined
  const value = source[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Properties speak first, then the page that the SDK noted in the context. */
export function readPage(properties: Properties, contextPage: Properties | undefined): Page {
  const url = textOf(properties, 'url') ?? textOf(contextPage, 'url')
  const path = textOf(properties, 'path') ?? textOf(contextPage, 'path')
  return {
    url,
    path: path ?? (url === undefined ? undefined : pathOf(url)),
    title: textOf(properties, 'title') ?? textOf(contextPage, 'title'),
    referrer: textOf(properties, 'referrer') ?? textOf(contextPage, 'referrer'),
  }
}

/** The path of an address: without scheme, host, query and fragment. */
export function pathOf(url: string): string {
  const scheme = url.indexOf('://')
  const afterHost = scheme > 0 && scheme < 12 ? url.slice(scheme + 3).replace(/^[^/?#]*/, '') : url
  const end = afterHost.search(/[?#]/)
  const path = end < 0 ? afterHost : afterHost.slice(0, end)
  return path === '' ? '/' : path
}

const titleMissing: Finding = {
  code: 'title_missing',
  field: 'title',
  message: 'Send the title of the page; its path was stored instead.',
  expected: 'string',
  actual: null,
}

/** A page view that leaves its address or title to the context means that page; a title it lacks is its path. */
export function fillPage(properties: Record<string, unknown>, page: Page, findings: Finding[]): void {
  if (page.title === undefined && page.path !== undefined) {
    findings.push(titleMissing)
    page.title = page.path
  }
  for (const member of ['url', 'title', 'referrer'] as const) {
    if (page[member] !== undefined) properties[member] ??= page[member]
  }
}
