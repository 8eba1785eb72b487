import { text } from '../text.ts'
import { windows } from './range.ts'

const dayMs = 86_400_000

type Preset = { key: string; label: string; changes: Record<'window' | 'from' | 'to', string | null> }

/** An address may name a zone that there is none of; the server says so. */
function isZone(timezone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-CA', { timeZone: timezone }) !== null
  } catch {
    return false
  }
}

/** The calendar day of a moment in a zone, such as `2026-03-31`. */
export function dayIn(timezone: string, ms: number): string {
  if (!isZone(timezone)) return dayIn('UTC', ms)
  return new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' }).format(new Date(ms))
}

/** So many days after a day, by the calendar alone. */
export function dayAfter(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10)
}

/** Times that people ask for, as they lie around today. */
export function presetsAt(today: string): Preset[] {
  const words = text.range.presets
  const days = (key: keyof typeof words, from: string, to: string): Preset => ({
    key,
    label: words[key],
    changes: { window: null, from, to },
  })
  const monthStart = `${today.slice(0, 8)}01`
  const lastMonthEnd = dayAfter(monthStart, -1)
  const yesterday = dayAfter(today, -1)
  return [
    days('today', today, today),
    days('yesterday', yesterday, yesterday),
    days('thisMonth', monthStart, today),
    days('lastMonth', `${lastMonthEnd.slice(0, 8)}01`, lastMonthEnd),
    days('thisYear', `${today.slice(0, 4)}-01-01`, today),
  ]
}

/** A rolling window in words. */
export function windowLabel(value: string): string {
  const known = windows.find((window) => window === value)
  if (known !== undefined) return text.range.windows[known]
  return /^\d+d$/.test(value) ? text.range.days(value.replace('d', '')) : value
}
