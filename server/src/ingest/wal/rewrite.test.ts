import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Segment } from './segment.ts'
import { readLines } from './segment.ts'
import type { SegmentLog } from './segment-log.ts'
import { openLog } from './write-ahead-log.ts'

const root = await mkdtemp(join(tmpdir(), 'assay-log-rewrite-'))
afterAll(() => rm(root, { recursive: true }))

const open = (dir: string): Promise<SegmentLog> =>
  openLog({ dir, segmentBytesMax: 1e9, segmentAgeMsMax: 1e9, totalBytesMax: 1e9, now: () => 1_000 })

const line = (n: number): string => `{"n":${n}}\n`

async function read(segments: readonly Segment[]): Promise<number[]> {
  const numbers: number[] = []
  for (const segment of segments)
    for await (const text of readLines(segment)) numbers.push(JSON.parse(text).n)
  return numbers
}

/** One closed segment for each list of numbers. */
async function logOf(
  ...lists: number[][]
): Promise<{ log: SegmentLog; dir: string; segments: readonly Segment[] }> {
  const dir = await mkdtemp(join(root, 'log-'))
  const log = await open(dir)
  for (const numbers of lists) {
    await log.append(numbers.map(line).join(''), numbers.length)
    await log.rotate()
  }
  return { log, dir, segments: log.closed() }
}

function first(segments: readonly Segment[]): Segment {
  const [segment] = segments
  if (segment === undefined) throw new Error('there is no closed segment')
  return segment
}

const without =
  (...numbers: number[]) =>
  (text: string): string | null =>
    numbers.includes(JSON.parse(text).n) ? null : text

test('a rewrite drops and changes lines, keeps the place in the order, and gets a name never used before', async () => {
  const { log, dir, segments } = await logOf([1, 2, 3], [4])
  const old = first(segments)
  const rest = await log.rewrite(old, (text) => (text === '{"n":2}' ? null : text.replace('3', '33')))
  expect(rest?.name).not.toBe(old.name)
  expect(log.closed()).toEqual([rest, segments[1]])
  expect(await read(log.closed())).toEqual([1, 33, 4])
  expect([log.pendingEvents, log.pendingBytes]).toEqual([3, 8 + 9 + 8])
  expect(await readdir(dir)).toHaveLength(2)
  await log.close()
  const onDisk = ({ name, path, bytes, events }: Segment) => ({ name, path, bytes, events })
  expect((await open(dir)).closed().map(onDisk)).toEqual(log.closed().map(onDisk))
})

test('a rewrite that changes nothing keeps the segment and its name', async () => {
  const { log, dir, segments } = await logOf([1, 2])
  expect(await log.rewrite(first(segments), (text) => text)).toBe(segments[0])
  expect(await readdir(dir)).toHaveLength(1)
})

test('a rewrite that keeps nothing leaves no segment and no file', async () => {
  const { log, dir, segments } = await logOf([1, 2])
  expect(await log.rewrite(first(segments), () => null)).toBeNull()
  expect([log.closed().length, log.pendingBytes, log.pendingEvents]).toEqual([0, 0, 0])
  expect(await readdir(dir)).toEqual([])
})

test('lines far into a large segment are dropped, and the part before them stays as it was', async () => {
  const numbers = Array.from({ length: 200_000 }, (_, n) => n)
  const { log, segments } = await logOf(numbers)
  const rest = await log.rewrite(first(segments), without(150_000, 199_999))
  expect(rest?.events).toBe(199_998)
  expect(await read(log.closed())).toEqual(numbers.filter((n) => n !== 150_000 && n !== 199_999))
})

test('two rewrites of one segment at the same time both take effect', async () => {
  const { log, segments } = await logOf([1, 2, 3])
  const old = first(segments)
  await Promise.all([log.rewrite(old, without(1)), log.rewrite(old, without(3))])
  expect(await read(log.closed())).toEqual([2])
})

test('appends continue while a segment is rewritten', async () => {
  const { log, segments } = await logOf(Array.from({ length: 50_000 }, (_, n) => n))
  let isRewritten = false
  const rewritten = log.rewrite(first(segments), without(7)).then(() => {
    isRewritten = true
  })
  await log.append(line(-1), 1)
  expect(isRewritten).toBe(false)
  await rewritten
  expect(log.pendingEvents).toBe(50_000)
})

test('a segment removed during its rewrite stays removed: its lines are in the store and must not come twice', async () => {
  const { log, dir, segments } = await logOf(Array.from({ length: 50_000 }, (_, n) => n))
  const old = first(segments)
  const rewritten = log.rewrite(old, without(7))
  await log.remove(old)
  expect(await rewritten).toBeNull()
  expect([log.closed(), log.pendingEvents, await readdir(dir)]).toEqual([[], 0, []])
})

test('a rewrite whose judge throws leaves the segment as it was, and later rewrites work', async () => {
  const { log, dir, segments } = await logOf([1, 2, 3])
  const old = first(segments)
  const failing = log.rewrite(old, (text) => {
    if (text === '{"n":3}') throw new Error('judge')
    return null
  })
  await expect(failing).rejects.toThrow('judge')
  expect(log.closed()).toEqual([old])
  expect(await readdir(dir)).toHaveLength(1)
  await log.rewrite(old, without(2))
  expect(await read(log.closed())).toEqual([1, 3])
})
