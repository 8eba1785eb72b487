import { linkSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { segmentNameOfFile } from '../../server/src/ingest/wal/segment.ts'
import type { Bench } from './bench.ts'
import type { Measurement, Subject } from './measurement.ts'
import { startProgram } from './process.ts'
import type { Side } from './side.ts'
import { median } from './statistics.ts'
import type { WriterResult } from './writer-direct.ts'

/** Enough for about two hundred thousand events. */
const segmentsMax = 12
const watchMs = 20
const rounds = 3
const loaderRateLeast = 150_000

/**
 * Keeps segments of a running product's log: a second name for the same file, so the product can delete its
 * own and nothing is copied while it is being measured. Returns the function that ends the watch.
 */
export function keepSegments(logDir: string, folder: string): () => void {
  mkdirSync(folder, { recursive: true })
  // A later round adds to what an earlier one kept.
  const kept = new Set(readdirSync(folder))
  const timer = setInterval(() => {
    for (const file of readdirSync(logDir)) {
      if (kept.size >= segmentsMax || kept.has(file) || segmentNameOfFile(file) === null) continue
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

/** Each side's own loader on segments of its own log; a round of a fresh process has a warm-up of its own. */
export function writerMeasurement(bench: Bench, segmentsOf: (side: Side) => string): Measurement {
  return { rounds, open: async (side) => openWriter(bench, side, segmentsOf(side)) }
}

function openWriter(bench: Bench, side: Side, segments: string): Subject {
  const results: WriterResult[] = []
  return {
    async round(index) {
      results.push(await runWriter(side, segments, bench.folder(side.name, `writer-${index}`)))
    },
    async figures() {
      const events = results[0]?.events ?? 0
      const seconds = (of: 'writerSeconds' | 'bareSeconds') => median(results.flatMap((result) => result[of]))
      return [
        {
          work: 'loader, log to store',
          value: events / seconds('writerSeconds'),
          unit: 'events/s',
          bare: events / seconds('bareSeconds'),
          target: { of: 'value', least: loaderRateLeast },
          note: `${events} events; bare is INSERT … SELECT FROM file()`,
        },
      ]
    },
    close: async () => {},
  }
}

async function runWriter({ root }: Side, segments: string, scratch: string): Promise<WriterResult> {
  // Of that side: it imports the loader around it.
  const program = join(root, 'bench', 'src', 'writer-direct.ts')
  const { child, lines } = startProgram([program, segments, scratch, '1'])
  const code = await new Promise((resolve) => child.on('close', resolve))
  const last = lines.findLast((line) => line.startsWith('{"events"'))
  if (code !== 0 || last === undefined)
    throw new Error(`the writer could not be measured:\n${lines.join('\n')}`)
  const parsed: unknown = JSON.parse(last)
  // boundary: our own program printed it.
  return parsed as WriterResult
}
