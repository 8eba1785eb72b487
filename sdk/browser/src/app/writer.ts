import type { Item } from '../delivery/item.ts'
import type { DeviceStorage } from '../device.ts'
import { nextStep } from './segments.ts'
import type { AppStorage } from './storage.ts'
import { type Stored, segmentKey } from './storage-content.ts'

/** A storage that fails is tried again after this time, and meanwhile everything is in memory. */
const retryMs = 5_000

type Writer = { save: (kept: DeviceStorage, items: readonly Item[]) => void }

/** Brings the storage to what was saved last, one call after the other. */
export function createWriter(storage: AppStorage, name: string, stored: Stored): Writer {
  let kept: DeviceStorage = {}
  let items: readonly Item[] = []
  /** The range of parts that a start has to read; it is written before a part outside of it. */
  let { from, to, text: headText } = stored
  const { segments } = stored

  async function writeHead(): Promise<boolean> {
    const isNothing = Object.keys(kept).length === 0 && to < from
    const text = isNothing ? null : JSON.stringify({ k: kept, q: [from, to] })
    if (text === headText) return false
    if (text === null) await storage.removeItem(name)
    else await storage.setItem(name, text)
    headText = text
    return true
  }

  async function writePart(): Promise<boolean> {
    const step = nextStep(segments, items)
    if (!step) return false
    const { segment } = step
    const key = segmentKey(name, segment.number)
    if (step.kind === 'remove') {
      await storage.removeItem(key)
      segments.splice(segments.indexOf(segment), 1)
      return true
    }
    if (step.kind === 'write') {
      await storage.setItem(key, JSON.stringify(step.items))
      segment.items = step.items
      return true
    }
    if (segments.length === 0) [from, to] = [segment.number, segment.number]
    from = Math.min(from, segment.number)
    to = Math.max(to, segment.number)
    await writeHead()
    await storage.setItem(key, JSON.stringify(segment.items))
    if (segments[0] && segment.number < segments[0].number) segments.unshift(segment)
    else segments.push(segment)
    return true
  }

  async function step(): Promise<boolean> {
    if (await writePart()) return true
    const [first] = segments
    const last = segments[segments.length - 1]
    if (first && last) [from, to] = [first.number, last.number]
    else [from, to] = [1, 0]
    return writeHead()
  }

  const wake = repeatUntilDone(step)
  return {
    save(nextKept, nextItems) {
      kept = nextKept
      items = nextItems
      wake()
    },
  }
}

/** Takes one step after the other until there is none, and starts again after a pause if one fails. */
function repeatUntilDone(step: () => Promise<boolean>): () => void {
  let isBusy = false
  /** Something changed since the last step began. */
  let isChanged = false
  async function run(): Promise<void> {
    isBusy = true
    try {
      while ((await step()) || isChanged) isChanged = false
      isBusy = false
    } catch {
      // Full, or not allowed. Everything is still in memory.
      setTimeout(() => void run(), retryMs)
    }
  }
  return () => {
    isChanged = true
    if (!isBusy) void run()
  }
}
