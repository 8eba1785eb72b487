import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { LogFailed, LogFull } from './event-log.ts'
import { readLines, segmentName } from './segment.ts'
import type { CreateSegmentFile } from './segment-file.ts'
import { createSegmentFile } from './segment-file.ts'
import type { SegmentLog } from './segment-log.ts'
import { openLog } from './write-ahead-log.ts'

const root = await mkdtemp(join(tmpdir(), 'assay-log-faults-'))
afterAll(() => rm(root, { recursive: true }))

function open(dir: string, createFile: CreateSegmentFile = createSegmentFile, errors: unknown[] = []) {
  return openLog({
    dir,
    segmentBytesMax: 1_000_000,
    segmentAgeMsMax: 3_600_000,
    totalBytesMax: 100_000_000,
    now: () => 1_000,
    onError: (error) => errors.push(error),
    createFile,
  })
}

const line = (n: number): string => `{"n":${n}}\n`

async function numbersOf(log: SegmentLog): Promise<number[]> {
  await log.rotate()
  const numbers: number[] = []
  for (const segment of log.closed())
    for await (const text of readLines(segment)) numbers.push(JSON.parse(text).n)
  return numbers
}

type Disk = { freeBytes: number; code: string; canTruncate: boolean; truncations: number }

/** The real file on a disk that takes what fits, as write(2) does, and fails on the next byte. */
function onDisk(disk: Disk): CreateSegmentFile {
  const failure = () => Object.assign(new Error(disk.code), { code: disk.code })
  return async (path) => {
    const file = await createSegmentFile(path)
    return {
      ...file,
      async writeDurably(bytes, offset, length, position) {
        if (disk.freeBytes === 0) throw failure()
        const written = await file.writeDurably(bytes, offset, Math.min(length, disk.freeBytes), position)
        disk.freeBytes -= written
        return written
      },
      async truncateDurably(length) {
        disk.truncations += 1
        if (!disk.canTruncate) throw failure()
        await file.truncateDurably(length)
      },
    }
  }
}

test('on a full disk an append is refused as LogFull, leaves no byte, and the next one works once there is space', async () => {
  const dir = await mkdtemp(join(root, 'full-'))
  const disk: Disk = { freeBytes: 20, code: 'ENOSPC', canTruncate: true, truncations: 0 }
  const log = await open(dir, onDisk(disk))
  await log.append(line(100), 1)
  // The group's first line and a half would fit: all of it is taken back.
  const refused = await Promise.allSettled([log.append(line(101), 1), log.append(line(102), 1)])
  expect(refused).toMatchObject([{ reason: expect.any(LogFull) }, { reason: expect.any(LogFull) }])
  expect([log.pendingEvents, log.pendingBytes]).toEqual([1, 10])
  const [file] = await readdir(dir)
  expect(await readFile(join(dir, file ?? ''), 'utf8')).toBe(line(100))
  disk.freeBytes = 1_000
  await log.append(line(103), 1)
  expect(await numbersOf(log)).toEqual([100, 103])
})

test('a log on a full disk says that it is not writable, and detects when it is again', async () => {
  const dir = await mkdtemp(join(root, 'writable-'))
  const disk: Disk = { freeBytes: 10, code: 'ENOSPC', canTruncate: true, truncations: 0 }
  const log = await open(dir, onDisk(disk))
  await log.append(line(100), 1)
  expect(await log.isWritable()).toBe(true)
  await expect(log.append(line(101), 1)).rejects.toBeInstanceOf(LogFull)
  expect([await log.isWritable(), log.failure]).toEqual([false, expect.any(LogFull)])
  disk.freeBytes = 1_000_000
  expect([await log.isWritable(), await log.isWritable()]).toEqual([true, true])
  // What it tried the disk with is gone, and was never an event.
  expect((await readdir(dir)).filter((name) => !name.endsWith('.ndjson'))).toEqual([])
  expect(await numbersOf(log)).toEqual([100])
})

test('quota and any other disk failure are distinguished, and both leave nothing behind', async () => {
  for (const [code, kind] of [
    ['EDQUOT', LogFull],
    ['EIO', LogFailed],
  ] as const) {
    const disk: Disk = { freeBytes: 15, code, canTruncate: true, truncations: 0 }
    const log = await open(await mkdtemp(join(root, 'codes-')), onDisk(disk))
    const refused = log.append(line(1) + line(2), 2)
    await expect(refused).rejects.toBeInstanceOf(kind)
    await expect(refused).rejects.toMatchObject({ cause: { code } })
    disk.freeBytes = 1_000
    await log.append(line(3), 1)
    expect(await numbersOf(log)).toEqual([3])
  }
})

test('refused bytes that could not be cut off block the log until they are, so that they are never stored', async () => {
  const errors: unknown[] = []
  const dir = await mkdtemp(join(root, 'tainted-'))
  const disk: Disk = { freeBytes: 25, code: 'EIO', canTruncate: false, truncations: 0 }
  const log = await open(dir, onDisk(disk), errors)
  await log.append(line(1), 1)
  await expect(log.append(line(2) + line(3) + line(4), 3)).rejects.toBeInstanceOf(LogFailed)
  disk.freeBytes = 1_000
  await expect(log.append(line(5), 1)).rejects.toBeInstanceOf(LogFailed)
  await expect(log.rotate()).rejects.toMatchObject({ code: 'EIO' })
  const [uncut, refused] = [{ code: 'EIO' }, expect.any(LogFailed)]
  expect(errors).toMatchObject([uncut, refused, uncut, refused])
  expect(log.closed()).toEqual([])
  disk.canTruncate = true
  await log.append(line(6), 1)
  expect(await numbersOf(log)).toEqual([1, 6])
})

test('a segment that cannot be created refuses its group only', async () => {
  let isBroken = true
  const log = await open(await mkdtemp(join(root, 'create-')), (path) => {
    if (isBroken) return Promise.reject(Object.assign(new Error('no inode'), { code: 'ENOSPC' }))
    return createSegmentFile(path)
  })
  await expect(log.append(line(1), 1)).rejects.toBeInstanceOf(LogFull)
  isBroken = false
  await log.append(line(2), 1)
  expect(await numbersOf(log)).toEqual([2])
})

test('a log that took nothing leaves no file when it is closed', async () => {
  const dir = await mkdtemp(join(root, 'nothing-'))
  const disk: Disk = { freeBytes: 0, code: 'ENOSPC', canTruncate: true, truncations: 0 }
  const log = await open(dir, onDisk(disk))
  await expect(log.append(line(1), 1)).rejects.toBeInstanceOf(LogFull)
  await log.close()
  expect(await readdir(dir)).toEqual([])
})

test('at the limit that the operating system sets on a file, appends are refused, and a new segment takes them again', async () => {
  const dir = await mkdtemp(join(root, 'limit-'))
  const script = `
    import { openLog } from ${JSON.stringify(new URL('./write-ahead-log.ts', import.meta.url).href)}
    const bounds = { segmentBytesMax: 1e6, segmentAgeMsMax: 1e6, totalBytesMax: 1e9 }
    const log = await openLog({ dir: process.argv[1], ...bounds, now: () => 1 })
    const acknowledged = [], refused = []
    const append = (n) => log.append(JSON.stringify({ n, filler: 'x'.repeat(300) }) + '\\n', 1)
      .then(() => acknowledged.push(n), (error) => refused.push(error.name))
    for (let n = 0; n < 30; n += 1) await append(n)
    await log.rotate()
    await append(30)
    await log.close()
    console.log(JSON.stringify({ acknowledged, refused }))`
  // 8 blocks of 512 or 1,024 bytes, which differs by shell; either way less than the 30 lines of 320 bytes.
  const command = 'ulimit -f 8 && exec "$0" --input-type=module -e "$1" "$2"'
  const output = execFileSync('sh', ['-c', command, process.execPath, script, dir], { encoding: 'utf8' })
  const { acknowledged, refused } = JSON.parse(output)
  expect(refused.length).toBeGreaterThan(0)
  expect(new Set(refused)).toEqual(new Set(['LogFull']))
  expect(acknowledged.at(-1)).toBe(30)
  expect(await numbersOf(await open(dir))).toEqual(acknowledged)
})

const name = (sequence: number, revision = 0): string =>
  segmentName({
    sequence,
    nodeId: 'node',
    revision,
    random: String(sequence * 10 + revision).padStart(16, '0'),
  })

const leftovers: [string, string, number[]][] = [
  ['whole lines', line(1) + line(2), [1, 2]],
  ['a last line without its newline, though it is whole JSON', `${line(1)}{"n":2}`, [1]],
  ['a torn last line', `${line(1)}{"n":2,"na`, [1]],
  ['a torn character', `${line(1)}{"n":2,"name":"\ud83d`, [1]],
  ['only a torn line', '{"n":2,"na', []],
  ['trailing lines that are no JSON', `${line(1)}{"n":2\nxyz\n12\n`, [1]],
  ['pages that never reached the disk', line(1) + '\0'.repeat(4_096), [1]],
  ['a lost page before a page that arrived', `${line(1)}${'\0'.repeat(4_096)}${line(3)}`, [1]],
  ['nothing', '', []],
  ['a last line longer than a read', `${line(1)}{"n":2,"filler":"${'x'.repeat(600_000)}"}\n`, [1, 2]],
  ['a torn line longer than a read', `${line(1)}{"n":2,"filler":"${'x'.repeat(600_000)}`, [1]],
]

test.each(leftovers)(
  'recovery of a segment with %s keeps exactly its sound lines',
  async (_, content, expected) => {
    const dir = await mkdtemp(join(root, 'leftover-'))
    const path = join(dir, `${name(5)}.ndjson`)
    await writeFile(path, content)
    const log = await open(dir)
    const closed = log.closed()
    expect(log.pendingEvents).toBe(expected.length)
    expect(await numbersOf(log)).toEqual(expected)
    if (expected.length === 0) expect(await readdir(dir)).toEqual([])
    else
      expect(closed).toMatchObject([
        { name: name(5), path, bytes: (await stat(path)).size, events: expected.length },
      ])
  },
)

test('recovery counts many lines over many reads, and new segments sort after the ones found', async () => {
  const dir = await mkdtemp(join(root, 'many-'))
  const numbers = Array.from({ length: 100_000 }, (_, n) => n)
  await writeFile(join(dir, `${name(8_000)}.ndjson`), numbers.map(line).join(''))
  await writeFile(join(dir, `${name(7_000)}.ndjson`), line(-1))
  const log = await open(dir)
  expect(log.closed().map(({ events }) => events)).toEqual([1, 100_000])
  await log.append(line(100_000), 1)
  expect(await numbersOf(log)).toEqual([-1, ...numbers, 100_000])
})

test('recovery leaves files alone that are not the log’s', async () => {
  const dir = await mkdtemp(join(root, 'strangers-'))
  await writeFile(join(dir, 'notes.ndjson'), 'mine')
  const log = await open(dir)
  expect([log.closed(), await readdir(dir)]).toEqual([[], ['notes.ndjson']])
})

test('a crash during a rewrite leaves either the old content or the new, never both', async () => {
  const dir = await mkdtemp(join(root, 'rewrite-crash-'))
  await writeFile(join(dir, `${name(1)}.ndjson`), line(1) + line(2))
  await writeFile(join(dir, `${name(1, 1)}.ndjson.copy`), line(1))
  await writeFile(join(dir, `${name(2)}.ndjson`), line(3) + line(4))
  await writeFile(join(dir, `${name(2, 1)}.ndjson`), line(4))
  const log = await open(dir)
  expect(log.closed().map((segment) => segment.name)).toEqual([name(1), name(2, 1)])
  expect(await numbersOf(log)).toEqual([1, 2, 4])
  expect((await readdir(dir)).toSorted()).toEqual([`${name(1)}.ndjson`, `${name(2, 1)}.ndjson`])
})
