import type { DeviceStorage } from '../device.ts'
import { itemsIn, type Segment } from './segments.ts'
import type { AppStorage } from './storage.ts'

/** More parts than the largest queue has: another program wrote under our name. */
const segmentsMax = 2_000
/** Calls to the storage at a time while it is read. */
const readsAtOnce = 20

/** What the storage holds: what is known of the visitor, and the parts of the queue. */
export type Stored = {
  kept: DeviceStorage
  segments: Segment[]
  text: string | null
  from: number
  to: number
}

export const emptyStored = (): Stored => ({ kept: {}, segments: [], text: null, from: 1, to: 0 })

export const segmentKey = (name: string, number: number): string => `${name}.q.${number}`

export async function readStored(storage: AppStorage, name: string, onDamage: () => void): Promise<Stored> {
  const text = await storage.getItem(name)
  if (text === null) return emptyStored()
  const { k, q } = readHead(text, onDamage)
  const [from, to] = q
  const segments: Segment[] = []
  for (let start = from; start <= to; start += readsAtOnce) {
    const numbers = Array.from({ length: Math.min(readsAtOnce, to - start + 1) }, (_, index) => start + index)
    const texts = await Promise.all(numbers.map((number) => storage.getItem(segmentKey(name, number))))
    for (const [index, part] of texts.entries()) {
      if (part === null) continue
      const items = itemsIn(part)
      if (!items) onDamage()
      segments.push({ number: start + index, items: items ?? [] })
    }
  }
  return { kept: k, segments, text, from, to }
}

type Head = { k: DeviceStorage; q: [from: number, to: number] }

function readHead(text: string, onDamage: () => void): Head {
  const empty: Head = { k: {}, q: [1, 0] }
  try {
    const { k, q }: Partial<Head> = Object(JSON.parse(text))
    const [from, to] = Array.isArray(q) ? q : empty.q
    const isRange = Number.isSafeInteger(from) && Number.isSafeInteger(to) && to - from < segmentsMax
    if (!isRange) onDamage()
    return { k: Object(k ?? {}), q: isRange ? [from, to] : empty.q }
  } catch {
    onDamage()
    return empty
  }
}
