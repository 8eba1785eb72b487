import { type IdPrefix, isId } from '../../platform/clock.ts'
import type { Brought, Named } from './named-sets.ts'

/**
 * What is wrong with a value of an imported row, as a sentence that continues from its column; null: nothing.
 */
export type Check = (value: unknown, brought: Brought) => string | null

/** Numbers that JavaScript still counts one by one. */
const countMax = Number.MAX_SAFE_INTEGER
/** The years that both stores and every clock can hold. */
const eventMsMin = 0
const eventMsMax = Date.UTC(2106, 0, 1) - 1

const must = (isSound: boolean, what: string) => (isSound ? null : `must be ${what}`)

/** Any text that the stores hold. */
export function text(charactersMax: number, charactersMin = 0): Check {
  return (value) => {
    if (typeof value !== 'string') return 'must be a text'
    if (value.length < charactersMin || value.length > charactersMax)
      return `must have ${charactersMin} to ${charactersMax} characters`
    return must(!value.includes('\0') && value.isWellFormed(), 'a text without broken characters')
  }
}

/** Text of the events store, which holds NUL as well. */
export function stored(charactersMax: number): Check {
  return (value) => {
    if (typeof value !== 'string') return 'must be a text'
    if (value.length > charactersMax) return `must have ${charactersMax} characters at most`
    return must(value.isWellFormed(), 'a text without broken characters')
  }
}

/** A text of one line, such as who did something. */
export function plain(charactersMax: number, charactersMin = 0): Check {
  const isText = text(charactersMax, charactersMin)
  return (value, brought) =>
    isText(value, brought) ?? must(!/\p{Cc}/u.test(String(value)), 'a text without control characters')
}

export function matching(pattern: RegExp, what: string): Check {
  return (value) => must(typeof value === 'string' && pattern.test(value), what)
}

export function id(prefix: IdPrefix): Check {
  return (value) => must(typeof value === 'string' && isId(prefix, value), `an id such as ${prefix}_…`)
}

export const personId = matching(/^per_[0-9a-f]{26}$/, 'the id of a person, such as per_…')
export const sha256 = matching(/^[0-9a-f]{64}$/, '64 hexadecimal digits')
/** Once the workspace that it came from; here it is always the one that takes the import. */
export const workspace = matching(/^[A-Za-z0-9_]{1,64}$/, 'the id of a workspace')
export const emptied: Check = (value) => must(value === '', 'empty')

/** The id of something that came with this export: another workspace's would be found as well. */
export function named(what: Named): Check {
  return (value, brought) =>
    must(typeof value === 'string' && brought[what].has(value), `the id of one of the ${what} of this export`)
}

export function oneOf(values: readonly string[]): Check {
  return (value) => must(typeof value === 'string' && values.includes(value), `one of ${values.join(', ')}`)
}

/** As Postgres writes it. */
export const flag = oneOf(['true', 'false'])

export function nullable(check: Check): Check {
  return (value, brought) => (value === null ? null : check(value, brought))
}

export function orEmpty(check: Check): Check {
  return (value, brought) => (value === '' ? null : check(value, brought))
}

/** Both, the first flaw first. */
export function both(first: Check, second: Check): Check {
  return (value, brought) => first(value, brought) ?? second(value, brought)
}

/** A whole number, as a number or as its digits. */
export function whole(minimum = 0, maximum: number = countMax): Check {
  return (value) => {
    const isDigits = typeof value === 'string' && /^-?\d{1,16}$/.test(value)
    const number = typeof value === 'number' || isDigits ? Number(value) : Number.NaN
    const isWithin = Number.isSafeInteger(number) && number >= minimum && number <= maximum
    return must(isWithin, `a whole number from ${minimum} to ${maximum}`)
  }
}

const unsignedMax = 2n ** 64n
/** A hash of 64 bits, as its digits. */
export const hash64: Check = (value) =>
  must(
    typeof value === 'string' && /^\d{1,20}$/.test(value) && BigInt(value) < unsignedMax,
    'a hash of 64 bits',
  )

/** A number as Postgres writes it; none of its infinities. */
export function real(absoluteMax: number): Check {
  return (value) => {
    const isNumber = typeof value === 'string' && /^-?\d{1,310}(\.\d{1,320})?(e[+-]?\d{1,3})?$/.test(value)
    return must(isNumber && Math.abs(Number(value)) <= absoluteMax, `a number up to ${absoluteMax}`)
  }
}

const postgresTime = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,6})?([+-]\d\d(?::\d\d(?::\d\d)?)?)$/

/** In ms; null for what is no time of the years 0 to 9999, which is what RFC 3339 can say. */
export function readPostgresTime(value: unknown): number | null {
  const [, day, clock, fraction = '', offset] =
    typeof value === 'string' ? (postgresTime.exec(value) ?? []) : []
  if (day === undefined || clock === undefined || offset === undefined) return null
  const zone = offset.length === 3 ? `${offset}:00` : offset.slice(0, 6)
  const ms = Date.parse(`${day}T${clock}${fraction.slice(0, 4)}${zone}`)
  return Number.isNaN(ms) ? null : ms
}

export const time: Check = (value) => must(readPostgresTime(value) !== null, 'a time')

/** A time that an event can have. */
export const eventTime: Check = (value) => {
  const ms = readPostgresTime(value)
  return must(ms !== null && ms >= eventMsMin && ms <= eventMsMax, 'a time from 1970 to 2105')
}

/** As ClickHouse writes it, in UTC. */
export const storedTime: Check = (value) =>
  must(
    typeof value === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{3})?$/.test(value) && isEventMs(value),
    timeWords,
  )

/** A day of either store. */
export const day: Check = (value) =>
  must(
    typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && isEventMs(`${value} 00:00:00`),
    'a day from 1970 to 2105',
  )

const timeWords = 'a time from 1970 to 2105'

function isEventMs(utc: string): boolean {
  const ms = Date.parse(`${utc.replace(' ', 'T')}Z`)
  // Date.parse takes the 31st of February for a day in March.
  const isDay = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(utc.slice(0, 10))
  return isDay && ms >= eventMsMin && ms <= eventMsMax
}

/** Money as the events store writes it. */
export const decimal = matching(/^-?\d{1,13}(\.\d{1,4})?$/, 'an amount of at most 13 digits and 4 places')

/** A list of the events store. */
export function listOf(check: Check, itemsMax: number): Check {
  return (value, brought) => {
    if (!Array.isArray(value) || value.length > itemsMax) return `must be a list of ${itemsMax} at most`
    for (const item of value) {
      const flaw = check(item, brought)
      if (flaw !== null) return `has an item that ${flaw}`
    }
    return null
  }
}

/** Bytes as Postgres writes them. */
export function bytes(bytesMax: number, bytesMin = 0): Check {
  return (value) => {
    const hex = typeof value === 'string' && value.startsWith('\\x') ? value.slice(2) : 'none'
    const isWithin = hex.length % 2 === 0 && hex.length >= 2 * bytesMin && hex.length <= 2 * bytesMax
    return must(isWithin && !/[^0-9a-f]/.test(hex), `${bytesMin} to ${bytesMax} bytes`)
  }
}
