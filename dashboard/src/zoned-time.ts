/** Moments in the fields of a form, which take a day and a time without a zone. The zone is that of the site. */

const dayMs = 86_400_000

/** What a clock in the zone shows, as if it were UTC. */
function wallMs(ms: number, timezone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(ms)
  const of = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((part) => part.type === type)?.value ?? Number.NaN)
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'))
}

/** `2026-11-05T13:00`, to the minute. */
export function zonedField(ms: number, timezone: string): string {
  return new Date(wallMs(ms, timezone)).toISOString().slice(0, 16)
}

/**
 * The moment of a field; NaN where it holds none. An hour that clocks skip is the hour after it, and of an hour that
 * they repeat it is the first.
 */
export function zonedMs(field: string, timezone: string): number {
  const wanted = Date.parse(`${field}Z`)
  if (Number.isNaN(wanted)) return Number.NaN
  // Offsets of the zone on the days around: at most one of them changes in between.
  const offsets = [-dayMs, dayMs].map((near) => wallMs(wanted + near, timezone) - (wanted + near))
  const moments = offsets.map((offset) => wanted - offset)
  const fitting = moments.filter((ms) => wallMs(ms, timezone) === wanted)
  return fitting.length > 0 ? Math.min(...fitting) : Math.max(...moments)
}
