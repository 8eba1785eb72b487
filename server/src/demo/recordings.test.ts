import { listReplayEvents, listReplays, recordReplay, replayLimits } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hourMs } from '../platform/units.ts'
import { startWorld, type World } from '../testing/harness.ts'
import { recordingsMax, recordVisits } from './recordings.ts'
import { makeTraffic } from './traffic.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

type Node = { id: number; type: number; childNodes?: Node[] }
const idsOf = ({ id, childNodes = [] }: Node): number[] => [id, ...childNodes.flatMap(idsOf)]

test('recordings of the demo are few and small, name nodes that exist, and are stored with the times of their visits', async () => {
  const toMs = Date.now()
  const { events } = makeTraffic({ seed: 3, events: 200, fromMs: toMs - hourMs / 2, toMs, sites: ['shop'] })
  const recordings = recordVisits([...events])
  expect(recordings.length).toBe(recordingsMax)
  const shop = await world.newWorkspace()
  for (const recording of recordings) {
    const text = JSON.stringify(recording.events)
    expect(text.length).toBeLessThan(replayLimits.chunkCharactersMax / 10)
    const times = recording.events.map(({ timestamp }) => timestamp)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(recording.events.slice(0, 2).map(({ type }) => type)).toEqual([4, 2])
    for (const { type, data } of recording.events) {
      if (type !== 2) continue
      // boundary: the full snapshot of rrweb, which is made here.
      const { node } = data as { node: Node }
      const ids = idsOf(node)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids).toEqual(expect.arrayContaining([1, 5, 6]))
    }
    const body = { ...recording, sent_at: Date.now() }
    const answer = await shop.call(recordReplay, { body }, { key: shop.keys.public })
    expect(answer.body).toEqual({ stored: true, reason: null })
  }
  const { body } = await shop.call(listReplays, { query: { limit: 50 } })
  expect(body.data.length).toBe(recordingsMax)
  const [first] = recordings
  const listed = body.data.find(({ session_id }) => session_id === first?.session_id)
  const startMs = first?.events[0]?.timestamp ?? 0
  expect(Math.abs(Date.parse(listed?.started_at ?? '') - startMs)).toBeLessThan(5_000)
  const played = await shop.call(listReplayEvents, { params: { id: listed?.id ?? '' }, query: {} })
  expect(played.body.data).toEqual(first?.events)
})
