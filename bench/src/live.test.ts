import { expect, test } from 'vitest'
import { makeTraffic } from '../../server/src/demo/traffic.ts'
import { hourMs } from '../../server/src/platform/units.ts'
import { LiveQueue } from './live.ts'

test('live traffic hands out every event once, none before its time, in order', () => {
  const fromMs = Date.UTC(2026, 4, 1)
  const options = { seed: 9, events: 2_000, fromMs, toMs: fromMs + 6 * hourMs }
  const all = [...makeTraffic(options).events]
  const queue = new LiveQueue(makeTraffic(options).events)
  const handedOut: string[] = []
  let lastMs = fromMs - 1
  for (let nowMs = fromMs; !queue.isOver; nowMs += 60_000) {
    for (const { wire, tsMs } of queue.due(nowMs)) {
      expect(tsMs).toBeLessThanOrEqual(nowMs)
      expect(tsMs).toBeGreaterThanOrEqual(lastMs)
      lastMs = tsMs
      handedOut.push(wire.event_id)
    }
    expect(nowMs).toBeLessThan(options.toMs + hourMs)
  }
  expect(handedOut.sort()).toEqual(all.map(({ wire }) => wire.event_id).sort())
})
