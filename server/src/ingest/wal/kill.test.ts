import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, test } from 'vitest'
import { readLines } from './segment.ts'
import type { LogOptions } from './segment-log.ts'
import { openLog } from './write-ahead-log.ts'

const dir = await mkdtemp(join(tmpdir(), 'assay-log-kill-'))
afterAll(() => rm(dir, { recursive: true }))

const roundsMin = 25
/** Small enough that kills also fall on the closing and opening of segments. */
const segmentBytesMax = 20_000
const options: LogOptions = { dir, segmentBytesMax, segmentAgeMsMax: 1e9, totalBytesMax: 1e12, now: Date.now }

/** Appends numbered lines from 16 callers at once and prints a number as soon as it is acknowledged. */
const appender = `
  import { writeSync } from 'node:fs'
  import { openLog } from ${JSON.stringify(new URL('./write-ahead-log.ts', import.meta.url).href)}
  const [dir, start] = process.argv.slice(1)
  const bounds = { segmentBytesMax: ${segmentBytesMax}, segmentAgeMsMax: 1e9, totalBytesMax: 1e12 }
  const log = await openLog({ dir, ...bounds, now: Date.now })
  writeSync(1, 'open\\n')
  let next = Number(start)
  const caller = async () => {
    for (;;) {
      const n = next++
      await log.append(JSON.stringify({ n, filler: 'x'.repeat(n % 700) }) + '\\n', 1)
      writeSync(1, n + '\\n')
    }
  }
  for (let i = 0; i < 16; i += 1) caller()
`

/** Kills the child once it has acknowledged that many lines; answers all that it acknowledged until it was dead. */
async function appendUntilKilled(start: number, acknowledgedCount: number): Promise<number[]> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', appender, dir, String(start)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const acknowledged: number[] = []
  for await (const text of createInterface({ input: child.stdout })) {
    if (text !== 'open') acknowledged.push(Number(text))
    if (acknowledged.length >= acknowledgedCount) child.kill('SIGKILL')
  }
  expect(await exited).toEqual([null, 'SIGKILL'])
  return acknowledged
}

async function storedNumbers(): Promise<number[]> {
  const log = await openLog(options)
  const numbers: number[] = []
  let events = 0
  for (const segment of log.closed()) {
    events += segment.events
    for await (const text of readLines(segment)) numbers.push(JSON.parse(text).n)
  }
  expect(events).toBe(numbers.length)
  await log.close()
  return numbers
}

test('whatever was acknowledged before a kill -9 is there once, in order, and no line is torn', async () => {
  const acknowledged: number[] = []
  let stored: number[] = []
  for (let round = 0; round < roundsMin; round += 1) {
    // The first rounds die right after opening; the others anywhere between the first and the 600th line.
    const count = round < 3 ? 0 : 1 + Math.floor(Math.random() * 600)
    acknowledged.push(...(await appendUntilKilled((stored.at(-1) ?? -1) + 1, count)))
    stored = await storedNumbers()
    expect(stored.every((n, index) => index === 0 || n > (stored[index - 1] ?? n))).toBe(true)
    const present = new Set(stored)
    expect(acknowledged.filter((n) => !present.has(n))).toEqual([])
  }
  expect(acknowledged.length).toBeGreaterThan(roundsMin)
}, 180_000)
