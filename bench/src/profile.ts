/** The part of a V8 CPU profile that self times need. */
export type CpuProfile = {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

type SelfTime = { readonly where: string; readonly share: number }

/** Functions by the time spent in themselves, most first, as shares of the time the thread was busy. */
export function selfTimes(profile: CpuProfile, most: number): readonly SelfTime[] {
  return sumSelfTimes(profile, most, describe)
}

/** The same, summed up by folder or package: where the long tail of small functions adds up. */
export function selfTimesByPlace(profile: CpuProfile, most: number): readonly SelfTime[] {
  return sumSelfTimes(profile, most, placeOf)
}

function sumSelfTimes(
  profile: CpuProfile,
  most: number,
  nameOf: (frame: Frame) => string,
): readonly SelfTime[] {
  const names = new Map(
    profile.nodes.map(({ id, callFrame }) => [
      id,
      callFrame.functionName === '(idle)' ? null : nameOf(callFrame),
    ]),
  )
  const times = new Map<string, number>()
  let busy = 0
  profile.samples.forEach((id, index) => {
    const name = names.get(id) ?? null
    if (name === null) return
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

/** Of paths only what comes after the last `node_modules`, or from our package on. */
function fileOf({ url }: Frame): string {
  return url.replace(/^.*\/node_modules\//, '').replace(/^file:.*\/(?=(?:server|contract)\/src\/)/, '')
}

function describe(frame: Frame): string {
  const file = fileOf(frame)
  const name = frame.functionName === '' ? '(anonymous)' : frame.functionName
  return file === '' ? name : `${name} ${file}:${frame.lineNumber + 1}`
}

/** A folder of ours, a package, a module of Node, or what has no source at all. */
function placeOf(frame: Frame): string {
  const file = fileOf(frame)
  if (file === '') return frame.functionName.startsWith('(') ? frame.functionName : '(native)'
  if (/^(?:server|contract)\//.test(file)) return file.slice(0, file.lastIndexOf('/'))
  return /^node:(?:internal\/)?[\w-]+|^(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? file
}

/** Profiles a program's main thread while `act` runs, through the inspector that it was started with. */
export async function profileDuring(inspectorUrl: string, act: () => Promise<unknown>): Promise<CpuProfile> {
  const inspector = await connectInspector(inspectorUrl)
  await inspector.call('Profiler.enable', {})
  await inspector.call('Profiler.setSamplingInterval', { interval: samplingMicros })
  await inspector.call('Profiler.start', {})
  await act()
  const stopped = await inspector.call('Profiler.stop', {})
  inspector.close()
  // boundary: V8 made it, in its own format.
  return (stopped as { profile: CpuProfile }).profile
}

const samplingMicros = 500

type Inspector = { call: (method: string, params: object) => Promise<unknown>; close: () => void }

/** The few lines of the inspector's protocol that are needed: numbered calls, answers by number. */
async function connectInspector(url: string): Promise<Inspector> {
  const socket = new WebSocket(url)
  const waiting = new Map<number, (answer: unknown) => void>()
  let calls = 0
  socket.addEventListener('message', ({ data }) => {
    const message: unknown = JSON.parse(String(data))
    // boundary: the protocol says so.
    const { id, result } = message as { id?: number; result?: unknown }
    if (id === undefined) return
    waiting.get(id)?.(result)
    waiting.delete(id)
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error(`no inspector at ${url}`)))
  })
  return {
    call: (method, params) =>
      new Promise((resolve) => {
        calls += 1
        waiting.set(calls, resolve)
        socket.send(JSON.stringify({ id: calls, method, params }))
      }),
    close: () => socket.close(),
  }
}

export function formatSelfTimes(times: readonly SelfTime[]): readonly string[] {
  return times.map(({ where, share }) => `${(share * 100).toFixed(1).padStart(5)} %  ${where}`)
}
