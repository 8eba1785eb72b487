/** How long each test file took in the last whole run: written by `npm test`, read for the order of the next one. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const root = join(import.meta.dirname, '..')
const cacheFile = join(root, '.cache', 'test-durations.json')

/** Seconds by the path of a file in the repository. */
export type Durations = ReadonlyMap<string, number>

/** From the JSON report of vitest; a file that did not come to its end has none. */
export function durationsOf(report: unknown): Durations {
  const files = memberOf(report, 'testResults')
  const entries = (Array.isArray(files) ? files : []).flatMap((file: unknown) => {
    const [name, start, end] = ['name', 'startTime', 'endTime'].map((member) => memberOf(file, member))
    if (typeof name !== 'string' || typeof start !== 'number' || typeof end !== 'number') return []
    const place = name.startsWith(root) ? relative(root, name) : name
    return end > start ? [[place, Math.round((end - start) / 100) / 10] as const] : []
  })
  return new Map(entries)
}

/** The slowest files first, a line for each. */
export function slowestLines(durations: Durations, count: number): string[] {
  return [...durations]
    .sort(([, one], [, other]) => other - one)
    .slice(0, count)
    .map(([name, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${name}`)
}

export function writeDurations(durations: Durations, file = cacheFile): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(Object.fromEntries(durations)))
}

/** Empty where no run came to its end here yet. */
export function readDurations(file = cacheFile): Durations {
  try {
    const written: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof written !== 'object' || written === null) return new Map()
    return new Map(Object.entries(written).filter(([, seconds]) => typeof seconds === 'number'))
  } catch {
    return new Map()
  }
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
