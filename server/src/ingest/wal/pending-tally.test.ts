import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SegmentLog } from './segment-log.ts'
import { openLog } from './write-ahead-log.ts'

let dir: string
let log: SegmentLog
const clock = { ms: 1_000_000 }

const open = () =>
  openLog({
    dir,
    segmentBytesMax: 1_000_000,
    segmentAgeMsMax: 60_000,
    totalBytesMax: 10_000_000,
    now: () => clock.ms,
  })

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'assay-waiting-'))
  clock.ms = 1_000_000
  log = await open()
})
afterEach(async () => {
  await log.close()
  rmSync(dir, { recursive: true, force: true })
})

const line = (workspaceId: string, id: number) =>
  `{"workspace_id":"${workspaceId}","site_id":"s","event_id":"e${id}"}\n`
const tally = (workspaceId: string) => `{"workspace_id":"${workspaceId}","site_id":"s","repeats":1}\n`

test('what waits is reported by workspace, since when, and is gone with its segment', async () => {
  await log.append(line('ws_a', 1) + line('ws_a', 2), 2, { workspaceId: 'ws_a', stored: 2 })
  clock.ms += 500
  await log.append(line('ws_b', 3), 1, { workspaceId: 'ws_b', stored: 1 })
  await log.rotate()
  clock.ms += 500
  await log.append(line('ws_a', 4) + tally('ws_a'), 2, { workspaceId: 'ws_a', stored: 1 })
  expect(log.waitingOf('ws_a')).toEqual({ events: 3, sinceMs: 1_000_000 })
  expect(log.waitingOf('ws_b')).toEqual({ events: 1, sinceMs: 1_000_500 })
  expect(log.waitingOf('ws_c')).toBeNull()
  for (const segment of log.closed()) await log.remove(segment)
  expect(log.waitingOf('ws_a')).toEqual({ events: 1, sinceMs: 1_001_000 })
  expect(log.waitingOf('ws_b')).toBeNull()
})

test('what an earlier run left waits as well, as old as its segment', async () => {
  await log.append(line('ws_a', 1) + tally('ws_a'), 2, { workspaceId: 'ws_a', stored: 1 })
  await log.close()
  clock.ms += 10_000
  log = await open()
  expect(log.waitingOf('ws_a')).toEqual({ events: 1, sinceMs: 1_000_000 })
})

test('what is forgotten does not wait any more', async () => {
  const owner = { workspaceId: 'ws_a', stored: 2 }
  await log.append(line('ws_a', 1) + line('ws_a', 2), 2, owner)
  await log.append(line('ws_b', 3), 1, { workspaceId: 'ws_b', stored: 1 })
  await log.rotate()
  const [segment] = log.closed()
  if (segment === undefined) throw new Error('there is a segment')
  await log.rewrite(segment, (text) => (text.includes('"e1"') || text.includes('"e3"') ? null : text))
  expect(log.waitingOf('ws_a')).toEqual({ events: 1, sinceMs: 1_000_000 })
  expect(log.waitingOf('ws_b')).toBeNull()
})

test('a refused append leaves nothing that waits', async () => {
  const tooLong = `${'x'.repeat(10_000_001)}\n`
  await expect(log.append(tooLong, 1, { workspaceId: 'ws_a', stored: 1 })).rejects.toThrow()
  expect(log.waitingOf('ws_a')).toBeNull()
})
