import { linkSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram } from './process.ts'
import type { Figure } from './report.ts'
import { median } from './statistics.ts'
import type { WriterResult } from './writer-direct.ts'

/** Enough for about two hundred thousand events. */
const segmentsMax = 12
const watchMs = 20
const rounds = 4

/**
 * Keeps segments of a running product's log: a second name for the same file, so the product can delete its
 * own and nothing is copied while it is being measured. Returns the function that ends the watch.
 */
export function keepSegments(logDir: string, folder: string): () => void {
  mkdirSync(folder, { recursive: true })
  const kept = new Set<string>()
  const timer = setInterval(() => {
    for (const file of readdirSync(logDir)) {
      if (kept.size >= segmentsMax || kept.has(file)) continue
      try {
        linkSync(join(logDir, file), join(folder, file))
        kept.add(file)
      } catch (error) {
        // Loaded and deleted between the look and the link.
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
      }
    }
  }, watchMs)
  return () => clearInterval(timer)
}

export async function measureWriter(segments: string, scratch: string): Promise<readonly Figure[]> {
  const program = new URL('./writer-direct.ts', import.meta.url).pathname
  const { child, lines } = startProgram([program, segments, scratch, rounds.toString()])
  const code = await new Promise((resolve) => child.on('close', resolve))
  const last = lines.findLast((line) => line.startsWith('{"events"'))
  if (code !== 0 || last === undefined)
    throw new Error(`the writer could not be measured:\n${lines.join('\n')}`)
  const parsed: unknown = JSON.parse(last)
  // boundary: our own program printed it.
  const { events, writerSeconds, bareSeconds } = parsed as WriterResult
  return [
    {
      work: 'writer, log to store',
      value: events / median(writerSeconds),
      unit: 'events/s',
      bare: events / median(bareSeconds),
      target: { of: 'ratio', least: 0.7 },
    },
  ]
}
