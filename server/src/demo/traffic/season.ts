import { hourMs } from '../../platform/units.ts'
import type { SiteModel } from './model.ts'
import { type Region, regions } from './people.ts'
import { at } from './random.ts'

/** Sessions by local hour, 0 to 23; only their proportions count. Shapes as such sites commonly show. */
const hourCurves: Readonly<Record<SiteModel['rhythm'], readonly number[]>> = {
  evening: [14, 8, 5, 4, 4, 7, 15, 26, 35, 41, 45, 48, 51, 49, 47, 48, 51, 57, 66, 78, 84, 76, 53, 29],
  office: [5, 3, 2, 2, 3, 7, 18, 42, 76, 95, 98, 92, 74, 83, 96, 94, 86, 66, 41, 28, 22, 18, 13, 8],
  news: [16, 9, 6, 6, 10, 26, 62, 86, 82, 66, 58, 60, 74, 68, 56, 52, 56, 66, 72, 70, 68, 60, 44, 27],
}

/** Marks a weekend in the byte that holds a local hour. */
const weekendBit = 32

/** The local clock of one region; daylight saving included, as it comes from the time zone database. */
function localClock(region: Region): (atMs: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: region.timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    hour: '2-digit',
  })
  return (atMs) => {
    const text = format.format(atMs)
    return Number(text.slice(-2)) | (text.startsWith('S') ? weekendBit : 0)
  }
}

/** Which share of a site's sessions begins in which hour of a range and in which region. */
export type Season = {
  readonly hours: number
  readonly startMs: (hour: number) => number
  readonly endMs: (hour: number) => number
  readonly weight: (site: SiteModel, hour: number, regionIndex: number) => number
}

export function planSeason(sites: readonly SiteModel[], fromMs: number, toMs: number): Season {
  const firstMs = Math.floor(fromMs / hourMs) * hourMs
  const hours = Math.ceil((toMs - firstMs) / hourMs)
  const startMs = (hour: number) => Math.max(fromMs, firstMs + hour * hourMs)
  const endMs = (hour: number) => Math.min(toMs, firstMs + (hour + 1) * hourMs)
  const local = new Uint8Array(hours * regions.length)
  regions.map(localClock).forEach((clock, region) => {
    for (let hour = 0; hour < hours; hour += 1) local[hour * regions.length + region] = clock(startMs(hour))
  })
  const rawWeight = (site: SiteModel, hour: number, region: number) => {
    const clock = local[hour * regions.length + region] ?? 0
    const weekend = (clock & weekendBit) === 0 ? 1 : site.weekendFactor
    const covered = (endMs(hour) - startMs(hour)) / hourMs
    return at(hourCurves[site.rhythm], clock & 31) * weekend * covered * at(regions, region).share
  }
  const totals = new Map(
    sites.map((site) => {
      let total = 0
      for (let cell = 0; cell < local.length; cell += 1) {
        total += rawWeight(site, Math.floor(cell / regions.length), cell % regions.length)
      }
      return [site.key, total]
    }),
  )
  return {
    hours,
    startMs,
    endMs,
    weight: (site, hour, region) => rawWeight(site, hour, region) / (totals.get(site.key) ?? 1),
  }
}
