import {
  formatCount,
  formatShare,
  numberLocale as locale,
  type MetricUnit,
  type TimeUnit,
} from '@assay/contract'
import { now } from './clock.ts'
import { text } from './text.ts'

export { formatCount, formatShare }

const fineShare = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
/** With as many decimals as it needs: of lines of an axis, typed shares, and two that round to the same. */
export const formatFineShare = (share: number): string => fineShare.format(share)

const dayMs = 86_400_000

const whole = new Intl.NumberFormat(locale)
const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })

export const formatShort = (count: number): string => (Math.abs(count) < 10_000 ? whole : short).format(count)

/** Without a currency there is nothing to write behind a number. */
export function formatMoney(amount: number, currency: string | null): string {
  if (currency === null || currency === '') return whole.format(amount)
  const options = { style: 'currency', currency, maximumFractionDigits: Math.abs(amount) >= 10_000 ? 0 : 2 }
  return new Intl.NumberFormat(locale, { ...options, style: 'currency' }).format(amount)
}

const digits = new Intl.NumberFormat(locale, { maximumSignificantDigits: 6 })
export const formatRate = (rate: number): string => digits.format(rate)

const decimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })

/** With a fixed number of decimals, so that a column of them lines up. */
export function formatDecimals(value: number, decimals: number): string {
  const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return new Intl.NumberFormat(locale, options).format(value)
}

const fraction = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 })

/** A figure by its unit, as answers of questions have them. */
export function formatFigure(unit: MetricUnit, value: number, currency: string | null): string {
  if (unit === 'money') return formatMoney(value, currency)
  if (unit === 'share') return formatShare(value)
  if (unit === 'ms') return formatDuration(value)
  if (unit === 'count') return formatShort(value)
  return (Math.abs(value) < 1 ? fraction : decimal).format(value)
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

export function formatBytes(bytes: number): string {
  const power = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const unit = byteUnits[power] ?? 'byte'
  const options = { style: 'unit', unit, maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locale, options).format(bytes / 1000 ** power)
}

/** `4 min 10 s`: the two largest units. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const seconds = Math.round(ms / 1_000)
  const parts: readonly [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ')
}

/** `18 Nov, 09:21:07`; with the year where it is another than now. */
export function formatTime(time: string, timezone = 'UTC'): string {
  return formatMoment(time, timezone, { second: '2-digit' })
}

/** Of what is planned or lasts: `18 Nov, 09:21`. */
export function formatMinute(time: string, timezone = 'UTC'): string {
  return formatMoment(time, timezone, {})
}

function formatMoment(time: string, timezone: string, more: { second?: '2-digit' }): string {
  const at = new Date(time)
  const yearOf = (date: Date | number) =>
    new Intl.DateTimeFormat(locale, { year: 'numeric', timeZone: timezone }).format(date)
  const options = {
    day: 'numeric',
    month: 'short',
    ...(yearOf(at) !== yearOf(now()) && { year: 'numeric' as const }),
    hour: '2-digit',
    minute: '2-digit',
    ...more,
    timeZone: timezone,
  } as const
  return new Intl.DateTimeFormat(locale, options).format(at)
}

/** The time of a day whose date stands elsewhere. */
export function formatClock(time: string, timezone = 'UTC'): string {
  return new Intl.DateTimeFormat(locale, { timeStyle: 'medium', timeZone: timezone }).format(new Date(time))
}

export function formatDay(time: string, timezone: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: timezone }).format(new Date(time))
}

/** A day of the calendar, such as `2026-03-31`; what is none is shown as it is. */
export function formatDayOnly(day: string): string {
  const noon = `${day}T12:00:00Z`
  return Number.isNaN(Date.parse(noon)) ? day : formatDay(noon, 'UTC')
}

/** An hour of some day of this year. */
export function formatHour(time: string, timezone = 'UTC'): string {
  const options = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const
  return new Intl.DateTimeFormat(locale, { ...options, timeZone: timezone }).format(new Date(time))
}

export type Interval = TimeUnit

const axisStyles = {
  hour: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  week: { day: 'numeric', month: 'short' },
  month: { month: 'short', year: 'numeric' },
} as const

const longStyles = {
  hour: {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  },
  day: { weekday: 'long', day: 'numeric', month: 'short', year: 'numeric' },
  week: { day: 'numeric', month: 'short', year: 'numeric' },
  month: { month: 'long', year: 'numeric' },
} as const

/** How the starts of intervals are written: short below an axis, and in words in a tooltip. */
export function intervalFormats(interval: Interval, timezone: string) {
  const axis = new Intl.DateTimeFormat(locale, { ...axisStyles[interval], timeZone: timezone })
  const long = new Intl.DateTimeFormat(locale, { ...longStyles[interval], timeZone: timezone })
  return {
    formatStart: (start: string): string => axis.format(new Date(start)),
    describeStart: (start: string): string => {
      const words = long.format(new Date(start))
      return interval === 'week' ? text.time.weekOf(words) : words
    },
  }
}

/** How long ago, roughly, as people say it. */
export function formatAgo(time: string, nowMs: number): string {
  const passed = nowMs - new Date(time).getTime()
  if (passed < 60_000) return text.time.justNow
  if (passed < 3_600_000) return text.time.minutesAgo(Math.floor(passed / 60_000))
  if (passed < dayMs) return text.time.hoursAgo(Math.floor(passed / 3_600_000))
  return text.time.daysAgo(Math.floor(passed / dayMs))
}

/** The change against the previous period; null where there was nothing to compare with. */
export function changeOf(current: number | null, previous: number | null): number | null {
  if (current === null || previous === null) return null
  if (previous === 0) return current === 0 ? 0 : null
  return (current - previous) / Math.abs(previous)
}

const regions = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' })

export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (regions.of(code) ?? code) : code
}

export function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? ''
}

/** A number as typed, with either decimal sign; null if it is not one. */
export function readNumber(typed: string): number | null {
  const number = Number(typed.trim().replace(',', '.'))
  return typed.trim() === '' || !Number.isFinite(number) ? null : number
}
