import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Events, openEvents } from '../../store/events.ts'
import { sharedStores } from '../../testing/harness.ts'
import { tiedTime } from './funnel-store.ts'
import { type FunnelModes, type StepEvent, windowFunnel } from './rows/window-funnel.ts'

let events: Events
beforeAll(async () => {
  const { clickhouseUrl } = await sharedStores()
  events = await openEvents({ dataDir: '', logDir: '', url: clickhouseUrl })
})
afterAll(() => events?.close())

/** The modes that funnels are asked with. */
const modes: Readonly<Record<string, FunnelModes>> = {
  '': {},
  "'strict_order'": { strictOrder: true },
  "'strict_increase'": { strictIncrease: true },
  "'strict_once'": { strictOnce: true },
  "'strict_order', 'strict_once'": { strictOrder: true, strictOnce: true },
  "'strict_increase', 'strict_once'": { strictIncrease: true, strictOnce: true },
}
const windowMs = 12
const streams = 4_000

type Row = { ms: number[]; masks: number[]; levels: number[] }

test('the funnel of the events store and the plain one agree on thousands of streams, in every mode, also at equal times', async () => {
  const tied = tiedTime(windowMs)
  const conditions = [0, 1, 2].map((bit) => `bitTest(mask, ${bit})`).join(', ')
  const levels = Object.keys(modes).map((mode) => {
    const { time, window } = mode.includes('strict_increase')
      ? { time: 'toUInt64(at)', window: windowMs }
      : tied
    return `windowFunnel(${mode === '' ? window : `${window}, ${mode}`})(${time}, ${conditions})`
  })
  // Hashes stand for chance, so that every run sees the same streams: up to 9 events, a fifth of them no step at all.
  // Half of them arrive at once, a quarter within seconds and a quarter together much later.
  const rows = await events.query<Row>(
    `SELECT arraySort(groupArray((toUInt32(at), arrival, mask))) AS taken, arrayMap(e -> e.1, taken) AS ms,
            arrayMap(e -> e.3, taken) AS masks, [${levels.join(', ')}] AS levels
     FROM (
       SELECT intDiv(number, 9) AS stream, toInt64(cityHash64(number, 1) % 24) AS at,
              fromUnixTimestamp64Milli({fromMs:Int64} + at, 'UTC') AS ts,
              toUInt64(({fromMs:Int64} + at) * 1000) AS sent_us, cityHash64(number, 4) % 1000 AS chance,
              multiIf(chance < 500, sent_us + chance, chance < 750, sent_us + chance * 15000,
                      bitOr(sent_us, toUInt64(16777215)) + 1 + chance) AS arrival,
              toUInt8([0, 0, 1, 1, 2, 2, 4, 4, 3, 6][cityHash64(number, 2) % 10 + 1]) AS mask
       FROM numbers(${streams * 9}) WHERE cityHash64(number, 3) % 5 != 0
     ) GROUP BY stream`,
    { fromMs: Date.UTC(2026, 5, 1) },
  )
  expect(rows.length).toBeGreaterThan(streams * 0.99)
  for (const { ms, masks, levels: found } of rows) {
    const stream = ms.map(
      (at, index): StepEvent => ({
        ms: at,
        steps: [0, 1, 2].filter((bit) => ((masks[index] ?? 0) >> bit) & 1),
      }),
    )
    const expected = Object.values(modes).map((mode) => windowFunnel(stream, 3, windowMs, mode).level)
    expect(found.map(Number), JSON.stringify({ ms, masks })).toEqual(expected)
  }
})
