import { once } from 'node:events'
import type { Readable } from 'node:stream'

type Coverage = { result: { url: string; functions: { ranges: { count: number }[] }[] }[] }

/** Asks a process that was started with `--inspect` which files of ours it executed since the last time. */
export type ExecutedFiles = { take: () => Promise<Set<string>>; close: () => void }

/** Waits for the address that Node prints when it starts with `--inspect`. */
export async function inspectorAddress(stderr: Readable): Promise<string> {
  let text = ''
  for await (const chunk of stderr.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    const address = /ws:\/\/\S+/.exec(text)?.[0]
    if (address !== undefined) return address
  }
  throw new Error(`The process printed no inspector address: ${text}`)
}

export async function openExecutedFiles(address: string, root: string): Promise<ExecutedFiles> {
  const socket = new WebSocket(address)
  await once(socket, 'open')
  const waiting = new Map<number, (result: Coverage) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data))
    waiting.get(id)?.(result)
    waiting.delete(id)
  })
  let lastId = 0
  const ask = (method: string, params = {}) =>
    new Promise<Coverage>((resolve) => {
      lastId += 1
      waiting.set(lastId, resolve)
      socket.send(JSON.stringify({ id: lastId, method: `Profiler.${method}`, params }))
    })
  await ask('enable')
  await ask('startPreciseCoverage', { callCount: true, detailed: false })
  return {
    async take() {
      const { result } = await ask('takePreciseCoverage')
      const hasRun = ({ functions }: Coverage['result'][number]) =>
        functions.some(({ ranges }) => ranges.some(({ count }) => count > 0))
      const urls = result.filter(hasRun).map(({ url }) => url)
      return new Set(urls.flatMap((url) => url.split(`${root}/`)[1] ?? []))
    },
    close: () => socket.close(),
  }
}
