/**
 * Below this a number is seconds: 1e11 s is the year 5138, and 1e11 ms is March 1973, before any stored
 * event.
 */
const secondsBelow = 1e11
/** The last instant that a JavaScript date can represent, in ms (ECMA-262, time values). */
const instantMax = 8.64e15

type WireTime = { ms: number; isZoneAssumed: boolean }

// RFC 3339 with an optional zone, so that a missing zone is reported to the sender instead of losing the
// time.
const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d\d:?\d\d)?)?$/
const decimal = /^\d{1,16}(?:\.\d{1,9})?$/

/** Reads a time as sent: an RFC 3339 text, or seconds or milliseconds as a number; `undefined` otherwise. */
export function readTime(value: unknown): WireTime | undefined {
  if (typeof value === 'number') return fromNumber(value)
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  return decimal.test(text) ? fromNumber(Number(text)) : fromText(text)
}

function fromNumber(value: number): WireTime | undefined {
  const ms = Math.round(Math.abs(value) < secondsBelow ? value * 1000 : value)
  return Number.isFinite(ms) && Math.abs(ms) <= instantMax ? { ms, isZoneAssumed: false } : undefined
}

/** As browsers and servers write it: with milliseconds and in UTC. */
const usual = /^[1-9]\d{3}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

function fromText(text: string): WireTime | undefined {
  if (!usual.test(text)) return fromAnyText(text)
  const ms = Date.parse(text)
  // A day that does not exist is refused, or rolled over into the next month.
  const isDay = new Date(ms).getUTCDate() === Number(text.slice(8, 10))
  return isDay ? { ms, isZoneAssumed: false } : undefined
}

function fromAnyText(text: string): WireTime | undefined {
  const parts = dateTime.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = parts
  // A leap second, 60, is allowed by RFC 3339 and lands on the next second.
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day))
  // Date.UTC rolls 30 February over into March and month 13 into January; such days do not exist.
  const date = new Date(midnight)
  if (date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1) return undefined
  const offsetMs = offsetOf(zone)
  if (offsetMs === undefined) return undefined
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second)
  const ms = midnight + seconds * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0')) - offsetMs
  return { ms, isZoneAssumed: zone === undefined }
}

function offsetOf(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(-2))
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
