import { eventsPath, type Item } from '../delivery/item.ts'

/** A part of the stored queue under a key of its own: a new event rewrites one part, not all of them. */
export type Segment = { number: number; items: Item[] }

/** What has to be done next, so that the stored parts hold what waits. */
type Step =
  | { kind: 'write'; segment: Segment; items: Item[] }
  | { kind: 'remove'; segment: Segment }
  | { kind: 'add'; segment: Segment }

const segmentItemsMax = 50
const segmentCharactersMax = 64 * 1024

/** Storage calls that lead from what is stored to what waits, one at a time; undefined when nothing is left to do. */
export function nextStep(stored: readonly Segment[], items: readonly Item[]): Step | undefined {
  const waiting = new Set(items)
  const known = new Set<Item>()
  for (const segment of stored) {
    const left = segment.items.filter((item) => waiting.has(item))
    if (!left[0]) return { kind: 'remove', segment }
    if (left.length < segment.items.length) return { kind: 'write', segment, items: left }
    for (const item of left) known.add(item)
  }
  const first = items.findIndex((item) => known.has(item))
  const fresh = items.filter((item) => !known.has(item))
  if (!fresh[0]) return undefined
  const [firstStored] = stored
  // A consent goes in front of the events that need it, also after a restart.
  if (first > 0 && firstStored) {
    const front = fitting([], items.slice(0, first).reverse()).reverse()
    return { kind: 'add', segment: { number: firstStored.number - 1, items: front } }
  }
  const last = stored[stored.length - 1]
  const grown = last ? fitting(last.items, fresh) : []
  if (last && grown.length > last.items.length) return { kind: 'write', segment: last, items: grown }
  return { kind: 'add', segment: { number: (last?.number ?? 0) + 1, items: fitting([], fresh) } }
}

/** As many items as one segment holds, at least one. */
function fitting(before: readonly Item[], fresh: readonly Item[]): Item[] {
  const items = [...before]
  let characters = before.reduce((sum, { body }) => sum + body.length, 0)
  for (const item of fresh) {
    characters += item.body.length
    if (items[0] && (items.length >= segmentItemsMax || characters > segmentCharactersMax)) break
    items.push(item)
  }
  return items
}

/** Undefined if the text is none of ours, or cut off. */
export function itemsIn(text: string): Item[] | undefined {
  try {
    const found: unknown = JSON.parse(text)
    return Array.isArray(found) && found.every(isItem) ? found : undefined
  } catch {
    return undefined
  }
}

const isItem = (value: unknown): value is Item => {
  const { path, body } = Object(value)
  return typeof path === 'string' && typeof body === 'string' && /^\/v1\/\w+$/.test(path)
}

export const isEvent = ({ path }: Item): boolean => path === eventsPath
