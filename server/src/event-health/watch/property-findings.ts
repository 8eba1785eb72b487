import { dayMs, hourMs } from '../../platform/units.ts'
import { type EventProfile, judgeProperties, type PropertyProfile } from '../detect/properties.ts'
import type { HourRow } from '../stores/hour-store.ts'
import type { Finding } from './findings.ts'
import { type ProfileRow, type ProfileSample, profileDays } from './property-store.ts'

/** Events whose properties are read in one look, of the last day and of the two weeks before; a second or two. */
const eventsNowMax = 50_000
const eventsBeforeMax = 100_000
/** Of each event so many are taken apart: enough to be sure of one in a hundred. */
const eventsPerSeries = 1_000
/** Longer names are truncated. */
const propertyLengthMax = 200
/** More values than this are no choice. */
export const choicesMost = 30

/** Chooses hours evenly, and of each event no more than is needed. */
export function planSample(rows: readonly HourRow[], toMs: number): ProfileSample {
  const fromMs = toMs - profileDays.older * dayMs
  const recent = rows.filter(({ hour_ms }) => Number(hour_ms) >= fromMs && Number(hour_ms) < toMs)
  const isNow = (row: HourRow) => Number(row.hour_ms) >= toMs - profileDays.now * dayMs
  const total = (part: readonly HourRow[]) => part.reduce((sum, row) => sum + Number(row.arrived), 0)
  const everyNow = strideOf(total(recent.filter(isNow)) / eventsNowMax)
  const everyBefore = strideOf(total(recent.filter((row) => !isNow(row))) / eventsBeforeMax)
  const isTaken = (row: HourRow) =>
    Math.floor((toMs - Number(row.hour_ms)) / hourMs) % (isNow(row) ? everyNow : everyBefore) === 0
  const taken = recent.filter(isTaken)
  const bySeries = Map.groupBy(taken, ({ site_id, name }) => `${site_id} ${name}`)
  const every = (fromDays: number, toDays: number) =>
    [...bySeries.values()].map((own) => {
      const within = own.filter(
        ({ hour_ms }) =>
          Number(hour_ms) >= toMs - fromDays * dayMs && Number(hour_ms) < toMs - toDays * dayMs,
      )
      return Math.max(1, Math.ceil(total(within) / eventsPerSeries))
    })
  return {
    toMs,
    hours: [...new Set(taken.map(({ hour_ms }) => Number(hour_ms) / 1000))],
    series: [...bySeries.keys()],
    everyNow: every(profileDays.now, 0),
    everyNewer: every(profileDays.newer, profileDays.now),
    everyOlder: every(profileDays.older, profileDays.newer),
  }
}

/** Steps that are no part of a day, so that in turn every hour of the day is taken. */
function strideOf(least: number): number {
  let stride = Math.max(1, Math.ceil(least))
  while (stride > 1 && (stride % 2 === 0 || stride % 3 === 0)) stride += 1
  return stride
}

export function propertyFindings(rows: readonly ProfileRow[], nowFromMs: number): Finding[] {
  const groups = Map.groupBy(rows, ({ site_id, name }) => `${site_id} ${name}`)
  return [...groups.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const part = (number: number) => profileOf(own.filter((row) => Number(row.part) === number))
    return judgeProperties(part(0), part(1), part(2)).map(({ code, property, ...figures }) => ({
      type: 'schema' as const,
      siteId: first.site_id,
      name: first.name,
      issue: `${code}:${property.slice(0, propertyLengthMax)}`.replaceAll('\0', '\\0'),
      startMs: nowFromMs,
      ...figures,
      isCritical: false,
    }))
  })
}

function profileOf(rows: readonly ProfileRow[]): EventProfile {
  const events = Number(rows.find(({ property }) => property === '')?.present ?? 0)
  const named = rows.filter(({ property }) => property !== '')
  return { events, properties: new Map(named.map((row) => [row.property, propertyOf(row)])) }
}

function propertyOf(row: ProfileRow): PropertyProfile {
  const [low, middle, high] = row.quartiles
  const hasNumbers =
    Number(row.numbers) > 0 && low !== undefined && middle !== undefined && high !== undefined
  return {
    present: Number(row.present),
    types: Object.fromEntries(Object.entries(row.types).map(([type, count]) => [type, Number(count)])),
    values:
      Number(row.distinct) <= choicesMost
        ? Object.fromEntries(row.values.map(([value, count]) => [value, Number(count)]))
        : null,
    quartiles: hasNumbers ? [low, middle, high] : null,
  }
}
