import type { EventFilter, TimeRange } from '../../store/event-filter.ts'
import type { Events } from '../../store/events.ts'
import { KeyNumbers } from './key-numbers.ts'
import { type Node, nodesOf, type Token } from './nodes.ts'
import { selectSteps, selectTokens, stepBytes } from './sequence-store.ts'
import type { Sessions } from './sessions.ts'

/** Nodes are ordered by id. Steps at one time stay in order of arrival. */
export type Sequences = { nodes: readonly Node[]; sessions: Sessions; sampledShare: number }

export const stepsIn = ({ sessions: { starts, ends } }: Sequences) =>
  starts.reduce((sum, start, session) => sum + (ends[session] ?? start) - start, 0)

/** Events in memory for one answer, about 50 MB; beyond it every n-th session is sampled. */
const eventsMax = 2_000_000
/** Distinct paths as sent; rarer ones are left out. */
const tokensMax = 100_000

/** The sessions of a site as the store returns them, before any computation. */
export type RawSequences = {
  tokens: readonly (Token & { token: string })[]
  /** See `stepBytes`. */
  steps: Uint8Array<ArrayBuffer>
  sampledShare: number
}

/** Two statements for every computation. */
export async function readSequences(
  events: Events,
  filter: EventFilter,
  range: TimeRange,
): Promise<RawSequences> {
  const rows = await selectTokens(events, filter, range, tokensMax)
  const tokens = rows.map((row) => ({
    token: row.token,
    name: row.event_name,
    detail: row.about,
    count: Number(row.events),
  }))
  const total = tokens.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return { tokens: [], steps: new Uint8Array(0), sampledShare: 1 }
  const every = Math.ceil(total / eventsMax)
  const steps = await selectSteps(events, filter, range, every)
  return { tokens, steps: ownBytes(steps), sampledShare: 1 / every }
}

/** Bytes in a buffer of their own, so that they can be transferred to another thread. */
export function ownBytes(buffer: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer: memory, byteOffset, byteLength } = buffer
  const isWhole = memory instanceof ArrayBuffer && byteOffset === 0 && byteLength === memory.byteLength
  return isWhole ? new Uint8Array(memory) : new Uint8Array(buffer)
}

export function toSequences({ tokens, steps, sampledShare }: RawSequences): Sequences {
  const found = nodesOf(tokens)
  const nodes = [...new Set(found)].sort((a, b) => (a.id < b.id ? -1 : 1))
  const places = new Map(nodes.map((node, place) => [node, place]))
  const kinds = new KeyNumbers()
  const nodeOfKind = new Int32Array(tokens.length)
  for (const [index, node] of found.entries()) {
    const key = BigInt(tokens[index]?.token ?? '0')
    nodeOfKind[kinds.take(Number(key & lowBits), Number(key >> 32n))] = places.get(node) ?? 0
  }
  return { nodes, sessions: packSessions(steps, kinds, nodeOfKind), sampledShare }
}

const lowBits = 0xffff_ffffn

function packSessions(buffer: Uint8Array, kinds: KeyNumbers, nodeOfKind: Int32Array): Sessions {
  const bytes = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength)
  const count = Math.floor(buffer.byteLength / stepBytes)
  const keys = new KeyNumbers()
  const owners = new Int32Array(count)
  const places = new Int32Array(count)
  const ends = new Int32Array(count + 1)
  for (let row = 0; row < count; row += 1) {
    const at = row * stepBytes
    const kind = kinds.find(bytes.getUint32(at + 16, true), bytes.getUint32(at + 20, true))
    places[row] = kind === -1 ? -1 : (nodeOfKind[kind] ?? 0)
    if (kind === -1) continue
    const owner = keys.take(bytes.getUint32(at, true), bytes.getUint32(at + 4, true))
    owners[row] = owner
    ends[owner + 1] = (ends[owner + 1] ?? 0) + 1
  }
  for (let owner = 0; owner < keys.size; owner += 1)
    ends[owner + 1] = (ends[owner + 1] ?? 0) + (ends[owner] ?? 0)
  const starts = ends.slice(0, keys.size)
  const filled = starts.slice()
  const steps = new Int32Array(ends[keys.size] ?? 0)
  const ms = new Float64Array(steps.length)
  for (let row = 0; row < count; row += 1) {
    const place = places[row] ?? -1
    if (place === -1) continue
    const owner = owners[row] ?? 0
    const at = filled[owner] ?? 0
    steps[at] = place
    ms[at] = bytes.getFloat64(row * stepBytes + 8, true)
    filled[owner] = at + 1
  }
  const sessions = { steps, ms, starts, ends: ends.slice(1, keys.size + 1) }
  for (let owner = 0; owner < keys.size; owner += 1) putInOrder(sessions, owner)
  return sessions
}

/** Rows come in order of time; the sort is stable. */
function putInOrder({ steps, ms, starts, ends }: Sessions, session: number): void {
  const [start, end] = [starts[session] ?? 0, ends[session] ?? 0]
  let place = start + 1
  while (place < end && (ms[place - 1] ?? 0) <= (ms[place] ?? 0)) place += 1
  if (place >= end) return
  const [ownSteps, ownMs] = [steps.slice(start, end), ms.slice(start, end)]
  const order = Array.from(ownSteps.keys()).sort((a, b) => (ownMs[a] ?? 0) - (ownMs[b] ?? 0))
  for (const [index, from] of order.entries()) {
    steps[start + index] = ownSteps[from] ?? 0
    ms[start + index] = ownMs[from] ?? 0
  }
}
