import { formatShare, numberLocale as language } from '@assay/contract/number-text'

/** Values as the dashboard writes them. The page has one language, so it does not depend on who opens it. */
const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 2 })

export const numberText = (value: number): string => numbers.format(value)
export const percentText = (share: number): string => formatShare(share)

/** Any code of three letters is taken, also one that no country has. */
export function moneyText(amount: number, currency: string | null): string {
  if (currency === null || !/^[A-Z]{3}$/.test(currency)) return numberText(amount)
  // The hundredths of a large amount say nothing.
  const options = { maximumFractionDigits: Math.abs(amount) >= 10_000 ? 0 : 2 }
  return new Intl.NumberFormat(language, { style: 'currency', currency, ...options }).format(amount)
}

export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3_600)} h ${Math.round((seconds % 3_600) / 60)} min`
}

const pointOptions = {
  hour: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
  month: { month: 'short', year: 'numeric' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

/** The beginning of an interval, in the time zone of the report. */
export function timeTextOf(interval: keyof typeof pointOptions, timeZone: string): (iso: string) => string {
  const format = new Intl.DateTimeFormat(language, { ...pointOptions[interval], timeZone })
  return (iso) => format.format(new Date(iso))
}

const moment = new Intl.DateTimeFormat(language, {
  ...pointOptions.hour,
  year: 'numeric',
  timeZone: 'UTC',
})
/** `3 Nov 2026, 10:20`, in UTC. */
export const momentText = (iso: string): string => moment.format(new Date(iso))

/** Nothing where nothing changed, and where there was nothing before: any number is infinitely more. */
export function changeText(now: number | null, before: number | null): string {
  if (now === null || before === null || before === 0) return ''
  if (now === before) return ''
  const change = (now - before) / before
  return `${change < 0 ? '−' : '+'}${percentText(Math.abs(change))}`
}

/** What is neither more nor less is not worse. */
export function isWorse(now: number | null, before: number | null, isMoreBetter: boolean): boolean {
  if (now === null || before === null) return false
  return isMoreBetter ? now < before : now > before
}
