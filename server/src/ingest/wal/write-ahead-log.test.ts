import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { LogClosed, LogFull } from './event-log.ts'
import type { Segment } from './segment.ts'
import { readLines } from './segment.ts'
import type { CreateSegmentFile } from './segment-file.ts'
import { createSegmentFile } from './segment-file.ts'
import type { LogOptions, SegmentLog } from './segment-log.ts'
import { openLog } from './write-ahead-log.ts'

const root = await mkdtemp(join(tmpdir(), 'assay-log-'))
afterAll(() => rm(root, { recursive: true }))

type Given = Partial<LogOptions>

async function freshLog(given: Given = {}): Promise<{ log: SegmentLog; dir: string }> {
  const dir = given.dir ?? (await mkdtemp(join(root, 'log-')))
  const log = await openLog({
    dir,
    segmentBytesMax: 1_000_000,
    segmentAgeMsMax: 3_600_000,
    totalBytesMax: 100_000_000,
    now: () => 1_000,
    ...given,
  })
  return { log, dir }
}

const line = (n: number): string => `{"n":${n}}\n`

async function linesOf(log: SegmentLog): Promise<string[]> {
  await log.rotate()
  const lines: string[] = []
  for (const segment of log.closed()) for await (const text of readLines(segment)) lines.push(text)
  return lines
}

const numbersOf = async (log: SegmentLog): Promise<number[]> =>
  (await linesOf(log)).map((text) => JSON.parse(text).n)

/** The real file, with its durable writes counted. */
function counted(): { createFile: CreateSegmentFile; writes: () => number } {
  let writes = 0
  const createFile: CreateSegmentFile = async (path) => {
    const file = await createSegmentFile(path)
    return {
      ...file,
      writeDurably: (...where) => {
        writes += 1
        return file.writeDurably(...where)
      },
    }
  }
  return { createFile, writes: () => writes }
}

test('what was appended is read back in order, whatever characters it holds', async () => {
  const { log } = await freshLog()
  await log.append('{"t":"grüße 👋"}\n', 1)
  await log.append('{"t":"a\\u0000b"}\n{"t":"\\ud800"}\n', 2)
  expect([log.pendingEvents, log.pendingBytes]).toEqual([3, 21 + 17 + 15])
  expect(await linesOf(log)).toEqual(['{"t":"grüße 👋"}', '{"t":"a\\u0000b"}', '{"t":"\\ud800"}'])
})

test('a thousand appends at once share a handful of durable writes, and keep their order', async () => {
  const { createFile, writes } = counted()
  const { log } = await freshLog({ createFile })
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => log.append(line(n), 1)))
  expect(writes()).toBe(1)
  expect(await numbersOf(log)).toEqual(Array.from({ length: 1_000 }, (_, n) => n))
})

test('what arrives while a write is under way becomes one next group', async () => {
  const { createFile, writes } = counted()
  const { log } = await freshLog({ createFile })
  const callers = Array.from({ length: 1_000 }, async (_, caller) => {
    await log.append(line(caller), 1)
    await log.append(line(1_000 + caller), 1)
  })
  await Promise.all(callers)
  expect(log.pendingEvents).toBe(2_000)
  expect(writes()).toBeLessThanOrEqual(3)
})

test('the callers of one group hold the same promise, those of the next another', async () => {
  const { log } = await freshLog()
  const [first, second] = [log.append(line(1), 1), log.append(line(2), 1)]
  expect(second).toBe(first)
  await first
  const later = log.append(line(3), 1)
  expect(later).not.toBe(first)
  await later
})

test('an append is acknowledged only after its bytes were written durably', async () => {
  const gate = Promise.withResolvers<void>()
  const createFile: CreateSegmentFile = async (path) => {
    const file = await createSegmentFile(path)
    return { ...file, writeDurably: (...where) => gate.promise.then(() => file.writeDurably(...where)) }
  }
  const { log } = await freshLog({ createFile })
  let isAcknowledged = false
  const appended = log.append(line(1), 1).then(() => {
    isAcknowledged = true
  })
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  expect([isAcknowledged, log.pendingEvents]).toEqual([false, 0])
  gate.resolve()
  await appended
  expect(log.pendingEvents).toBe(1)
})

test('a segment is closed before it would grow beyond its size', async () => {
  const { log } = await freshLog({ segmentBytesMax: 25 })
  const announced: Segment[] = []
  log.onClosed((segment) => announced.push(segment))
  for (let n = 100; n < 107; n += 1) await log.append(line(n), 1)
  expect(log.closed().map(({ bytes, events }) => ({ bytes, events }))).toEqual([
    { bytes: 20, events: 2 },
    { bytes: 20, events: 2 },
    { bytes: 20, events: 2 },
  ])
  expect(announced).toEqual(log.closed())
})

test('appends that come together are spread over segments by size, and a larger single one gets its own', async () => {
  const { log } = await freshLog({ segmentBytesMax: 25 })
  const large = `{"n":999,"filler":"${'x'.repeat(40)}"}\n`
  await Promise.all([100, 101, 102, 103, 104].map((n) => log.append(line(n), 1)))
  await log.append(large, 1)
  await log.append(line(105), 1)
  expect(await numbersOf(log)).toEqual([100, 101, 102, 103, 104, 999, 105])
  expect(log.closed().map(({ events }) => events)).toEqual([2, 2, 1, 1, 1])
})

test('a segment is closed by age, counted from its first event', async () => {
  let nowMs = 1_000
  const { log } = await freshLog({ now: () => nowMs, segmentAgeMsMax: 500 })
  await log.append(line(1), 1)
  nowMs = 1_499
  await log.append(line(2), 1)
  expect(log.closed()).toHaveLength(0)
  nowMs = 1_500
  await log.append(line(3), 1)
  expect(log.closed().map(({ events }) => events)).toEqual([2])
  nowMs = 0
  await log.append(line(4), 1)
  expect(log.closed().map(({ events }) => events)).toEqual([2, 1])
})

test('the last segment before a quiet time is closed by age without a further append', async () => {
  const { log } = await freshLog({ now: Date.now, segmentAgeMsMax: 20 })
  const closed = new Promise<Segment>((resolve) => log.onClosed(resolve))
  await log.append(line(1), 1)
  expect(await closed).toMatchObject({ events: 1, bytes: 8 })
})

test('a segment is closed by age also when its first write took longer than that', async () => {
  const createFile: CreateSegmentFile = async (path) => {
    const file = await createSegmentFile(path)
    const slowly = () => new Promise((resolve) => setTimeout(resolve, 30))
    return { ...file, writeDurably: (...where) => slowly().then(() => file.writeDurably(...where)) }
  }
  const { log } = await freshLog({ now: Date.now, segmentAgeMsMax: 2, createFile })
  const closed = new Promise<Segment>((resolve) => log.onClosed(resolve))
  await log.append(line(1), 1)
  expect(await closed).toMatchObject({ events: 1, bytes: 8 })
})

test('rotate closes what was appended before it, also what is still being written, and nothing when all is empty', async () => {
  const { log, dir } = await freshLog()
  await log.rotate()
  expect(await readdir(dir)).toEqual([])
  const before = log.append(line(1), 1)
  const rotated = log.rotate()
  const after = log.append(line(2), 1)
  await Promise.all([before, rotated, after])
  expect(log.closed().map(({ events }) => events)).toEqual([1])
  expect(log.pendingEvents).toBe(2)
})

test('a removed segment is gone from the disk and from the counts, and removing it twice is fine', async () => {
  const { log, dir } = await freshLog()
  await log.append(line(1), 1)
  await log.rotate()
  const [segment] = log.closed()
  if (segment === undefined) throw new Error('rotate closed nothing')
  await Promise.all([log.remove(segment), log.remove(segment)])
  expect([log.pendingBytes, log.pendingEvents, log.closed().length]).toEqual([0, 0, 0])
  expect(await readdir(dir)).toEqual([])
})

test('a listener that throws hinders neither the log nor the other listeners', async () => {
  const errors: unknown[] = []
  const { log } = await freshLog({ onError: (error) => errors.push(error) })
  const heard: string[] = []
  log.onClosed(() => {
    throw new Error('listener')
  })
  const unsubscribe = log.onClosed(({ name }) => heard.push(name))
  await log.append(line(1), 1)
  await log.rotate()
  unsubscribe()
  await log.append(line(2), 1)
  await log.rotate()
  expect(heard).toEqual([log.closed()[0]?.name])
  expect(errors).toHaveLength(2)
})

test('segment names sort by age and are never used again, over deletes, restarts and a clock that stands still', async () => {
  const dir = await mkdtemp(join(root, 'names-'))
  const names: string[] = []
  for (let run = 0; run < 5; run += 1) {
    const { log } = await freshLog({ dir, nodeId: 'n7' })
    for (let n = 0; n < 4; n += 1) {
      await log.append(line(n), 1)
      await log.rotate()
    }
    const closed = log.closed()
    expect(closed.map(({ name }) => name)).toEqual(closed.map(({ name }) => name).toSorted())
    names.push(...closed.slice(-4).map(({ name }) => name))
    // Every second run leaves nothing behind, so that the next one cannot learn the sequence from the files.
    if (run % 2 === 1) for (const segment of closed) await log.remove(segment)
    await log.close()
  }
  expect(new Set(names).size).toBe(20)
  expect(names.every((name) => /^\d{15}-n7-0000-[0-9a-f]{16}$/.test(name))).toBe(true)
})

test('a node id that would make a bad segment name is refused when the log is opened', async () => {
  await expect(freshLog({ nodeId: 'rack 7/b' })).rejects.toThrow('not a segment name')
})

test('the log refuses what would pass its configured size, and takes it again once a segment is removed', async () => {
  const { log } = await freshLog({ totalBytesMax: 20 })
  await log.append(line(100), 1)
  const [fits, doesNot] = await Promise.allSettled([log.append(line(101), 1), log.append(line(1), 1)])
  expect(fits.status).toBe('fulfilled')
  expect(doesNot).toMatchObject({ reason: expect.any(LogFull) })
  await log.rotate()
  for (const segment of log.closed()) await log.remove(segment)
  await log.append(line(102), 1)
  expect(await numbersOf(log)).toEqual([102])
})

test('close writes what was appended, refuses what comes after, and the next open finds it closed', async () => {
  const { log, dir } = await freshLog()
  const appended = log.append(line(1) + line(2), 2)
  const closing = log.close()
  await expect(log.append(line(3), 1)).rejects.toBeInstanceOf(LogClosed)
  await Promise.all([appended, closing, log.close()])
  const { log: reopened } = await freshLog({ dir })
  expect(reopened.closed()).toEqual(log.closed())
  expect(await numbersOf(reopened)).toEqual([1, 2])
})
