import {
  type IdentifierRefusal,
  identifierCharactersMax,
  normalIdentifier,
} from '../../identity/identifier.ts'
import { eventNameCharactersMax } from '../../maxima.ts'
import type { Finding } from '../issues.ts'
import type { Page, Properties } from '../raw-event.ts'
import { isRecord } from '../raw-event.ts'
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

/** A text member of the envelope. A number becomes its digits; anything else is dropped with an issue. */
export function readText(
  source: Properties,
  names: readonly string[],
  findings: Finding[],
  charactersMax = Number.POSITIVE_INFINITY,
): string | undefined {
  const found = readTextMember(source, names, findings)
  if (found === undefined || found.text.length <= charactersMax) return found?.text
  findings.push(tooLong(found.name, found.text, charactersMax))
  return undefined
}

/**
 * An identifier in its normal form. An invalid one refuses the event: without it, the event would belong to
 * another person.
 */
export function readIdentifier(
  source: Properties,
  names: readonly string[],
  findings: Finding[],
  charactersMax = identifierCharactersMax,
): string | undefined {
  const found = readTextMember(source, names, findings)
  if (found === undefined) return undefined
  const { name, text } = found
  const sent = source[name]
  // Two identifiers beyond 2^53 may be the same double.
  if (typeof sent === 'number' && Math.abs(sent) > Number.MAX_SAFE_INTEGER) {
    findings.push(rounded(name))
    return undefined
  }
  const normal = normalIdentifier(text, charactersMax)
  if ('value' in normal) return normal.value
  findings.push(unusableIdentifier(name, text, charactersMax, normal.refused))
  return undefined
}

function readTextMember(
  source: Properties,
  names: readonly string[],
  findings: Finding[],
): { name: string; text: string } | undefined {
  const found = firstOf(source, names)
  if (found === undefined) return undefined
  const { name, value } = found
  if (typeof value === 'string') return value.trim() === '' ? undefined : { name, text: value }
  if (typeof value === 'number' && Number.isFinite(value)) {
    findings.push({
      code: 'type_coerced',
      field: name,
      message: `Send ${name} as a string; the number was stored as its digits.`,
      expected: 'string',
      actual: 'number',
    })
    return { name, text: String(value) }
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

function rounded(field: string): Finding {
  const message = `Send ${field} as a string: a number this large loses its last digits.`
  return { code: 'malformed_event', field, message, expected: 'string', actual: 'number beyond 2^53' }
}

function unusableIdentifier(
  field: string,
  text: string,
  charactersMax: number,
  refused: IdentifierRefusal,
): Finding {
  if (refused === 'too_long') return { ...tooLong(field, text, charactersMax), code: 'malformed_event' }
  return {
    code: 'malformed_event',
    field,
    message: `Send ${field} without control characters and without halves of surrogate pairs.`,
    expected: 'well-formed text without control characters',
    actual: 'a control character or half a surrogate pair',
  }
}

function tooLong(field: string, text: string, charactersMax: number): Finding {
  return {
    code: 'event_too_large',
    field,
    message: `Send ${field} with at most ${charactersMax} characters.`,
    expected: `at most ${charactersMax} characters`,
    actual: `${text.length} characters`,
  }
}

/**
 * The name as validated and counted: a longer one refuses the event, and is truncated so that no counter
 * stores all of it.
 */
export function readName(field: string, sent: string, findings: Finding[]): string {
  if (sent.length <= eventNameCharactersMax) return sent
  findings.push(tooLong(field, sent, eventNameCharactersMax))
  return sent.slice(0, eventNameCharactersMax).toWellFormed()
}

export function readInstant(
  source: Properties,
  names: readonly string[],
  findings: Finding[],
): number | undefined {
  const found = firstOf(source, names)
  return found === undefined ? undefined : instantOf(found.name, found.value, findings)
}

/** An unreadable time never refuses the event: it gets the time of arrival, with a warning. */
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

/** An object member of the envelope; `undefined` if it is present but not an object. */
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

/** Properties take precedence over the page in the context. */
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

/** A page view without URL or title takes those of the context; a missing title becomes its path. */
export function fillPage(properties: Record<string, unknown>, page: Page, findings: Finding[]): void {
  if (page.title === undefined && page.path !== undefined) {
    findings.push(titleMissing)
    page.title = page.path
  }
  for (const member of ['url', 'title', 'referrer'] as const) {
    if (page[member] !== undefined) properties[member] ??= page[member]
  }
}
