import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayMs, hourMs } from '../../platform/units.ts'
import type { HourRow } from '../stores/hour-store.ts'
import { defaultSettings, seriesOf, volumeFindings } from './findings.ts'

const toMs = Date.UTC(2026, 8, 15)
const siteMs = toMs - 35 * dayMs
const began = new Map([['s', siteMs]])

const row = (name: string, hour_ms: number, arrived: number): HourRow => ({
  site_id: 's',
  name,
  hour_ms,
  arrived,
})

/** So many an hour over the last days. */
const lately = (name: string, days: number, arrived: number) =>
  Array.from({ length: days * 24 }, (_, hour) => row(name, toMs - (hour + 1) * hourMs, arrived))

describe('a series', () => {
  test('begins with its site, and missing counts are zero', () => {
    const [series] = seriesOf([row('$error', toMs - 2 * hourMs, 7)], toMs, began)
    expect(series).toMatchObject({ firstMs: siteMs })
    expect(series?.counts).toHaveLength(35 * 24)
    expect(series?.counts.slice(-3)).toEqual([0, 7, 0])
    expect(series?.counts.reduce((sum, count) => sum + count, 0)).toBe(7)
  })

  test('of a site of which no beginning is known begins with its first arrival', () => {
    const [series] = seriesOf([row('$error', toMs - 2 * hourMs, 7)], toMs, new Map())
    expect(series).toMatchObject({ firstMs: toMs - 2 * hourMs, counts: [7, 0] })
  })

  test('holds all that came, wherever its site began', () => {
    const rows = fc.uniqueArray(fc.nat(34 * 24), { minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(rows, fc.nat(35 * 24), (hours, beginning) => {
        const given = hours.map((hour) => row('x', siteMs + hour * hourMs, hour + 1))
        const [series] = seriesOf(given, toMs, new Map([['s', siteMs + beginning * hourMs]]))
        const all = hours.reduce((sum, hour) => sum + hour + 1, 0)
        expect(series?.counts.reduce((sum, count) => sum + count, 0)).toBe(all)
        expect((series?.firstMs ?? 0) + (series?.counts.length ?? 0) * hourMs).toBe(toMs)
      }),
    )
  })
})

describe('an event that starts one day', () => {
  const usual = lately('$pageview', 35, 100)

  test('is found on a site that is watched already', () => {
    const rows = [...usual, ...lately('$error', 1, 4)]
    const found = volumeFindings(seriesOf(rows, toMs, began), defaultSettings)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({ type: 'volume', name: '$error', isCritical: false })
    expect(found[0]?.observed).toBeGreaterThan(found[0]?.expected ?? 0)
    expect(found[0]?.startMs).toBeGreaterThanOrEqual(toMs - dayMs)
  })

  test('is no finding where it comes once, or where the site itself is new', () => {
    const once = [...usual, row('$error', toMs - 5 * hourMs, 1)]
    expect(volumeFindings(seriesOf(once, toMs, began), defaultSettings)).toEqual([])
    const young = new Map([['s', toMs - 2 * dayMs]])
    const all = [...lately('$pageview', 2, 100), ...lately('$error', 1, 4)]
    expect(volumeFindings(seriesOf(all, toMs, young), defaultSettings)).toEqual([])
  })
})
