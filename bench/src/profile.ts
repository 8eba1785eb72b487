import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The part of a V8 CPU profile that self times need. */
export type CpuProfile = {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

export type SelfTime = { readonly where: string; readonly share: number }

/** Functions by the time spent in themselves, most first, as shares of the time the thread was busy. */
export function selfTimes(profile: CpuProfile, most: number): readonly SelfTime[] {
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, describe(callFrame)]))
  const times = new Map<string, number>()
  let busy = 0
  profile.samples.forEach((id, index) => {
    const name = names.get(id) ?? '?'
    if (name === '(idle)') return
    const tookMicros = profile.timeDeltas[index] ?? 0
    busy += tookMicros
    times.set(name, (times.get(name) ?? 0) + tookMicros)
  })
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([where, tookMicros]) => ({ where, share: tookMicros / busy }))
}

type Frame = CpuProfile['nodes'][number]['callFrame']

/** Function, file and line; of paths only what comes after the last `node_modules` or package folder. */
function describe({ functionName, url, lineNumber }: Frame): string {
  const file = url.replace(/^.*\/(?:node_modules|server|contract)\//, '')
  const name = functionName === '' ? '(anonymous)' : functionName
  return file === '' ? name : `${name} ${file}:${lineNumber + 1}`
}

/** One summary for each thread that left a profile, the busiest first. */
export function summariseProfiles(folder: string, most: number): Readonly<Record<string, readonly string[]>> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))
  const profiles = files.map((name) => {
    const parsed: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    // boundary: V8 wrote it, in its own format.
    return parsed as CpuProfile
  })
  const summaries = profiles.map((profile) => ({
    busySeconds: busySeconds(profile),
    times: selfTimes(profile, most),
  }))
  summaries.sort((a, b) => b.busySeconds - a.busySeconds)
  return Object.fromEntries(
    summaries.map(({ busySeconds: busy, times }, index) => [
      `thread ${index + 1}, busy ${busy.toFixed(1)} s`,
      times.map(({ where, share }) => `${(share * 100).toFixed(1).padStart(5)} %  ${where}`),
    ]),
  )
}

function busySeconds(profile: CpuProfile): number {
  const idle = new Set(
    profile.nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').map(({ id }) => id),
  )
  let micros = 0
  profile.samples.forEach((id, index) => {
    if (!idle.has(id)) micros += profile.timeDeltas[index] ?? 0
  })
  return micros / 1e6
}
