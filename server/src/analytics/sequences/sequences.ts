import type { EventFilter, TimeRange } from '../../store/event-filter.ts'
import type { Events } from '../../store/events.ts'
import { type Node, nodesOf, type Token } from './nodes.ts'
import { selectSteps, selectTokens, stepBytes } from './sequence-store.ts'

/** The steps of one session in the order of time: places in the list of nodes, and when. */
export type Sequence = { steps: Int32Array; ms: Float64Array }

/** Nodes are in the order of their ids, which is also the order of steps at one time. */
export type Sequences = { nodes: readonly Node[]; sessions: readonly Sequence[]; sampledShare: number }

/** As much as is carried through memory for one answer, about 50 MB; beyond it every n-th session stands for all. */
const eventsMax = 2_000_000
/** Different paths as they were sent; rarer ones than these are left out. */
const tokensMax = 100_000

/** The sessions of a site as the store gives them out; what they mean is still to be reckoned. */
export type RawSequences = {
  tokens: readonly (Token & { token: string })[]
  /** See `stepBytes`. */
  steps: Uint8Array<ArrayBuffer>
  sampledShare: number
}

/** Two statements, whatever is then made of the sessions. */
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

/** Bytes that share their memory with nothing else, so that they can be handed to another thread. */
function ownBytes(buffer: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer: memory, byteOffset, byteLength } = buffer
  const isWhole = memory instanceof ArrayBuffer && byteOffset === 0 && byteLength === memory.byteLength
  return isWhole ? new Uint8Array(memory) : new Uint8Array(buffer)
}

export function toSequences({ tokens, steps, sampledShare }: RawSequences): Sequences {
  const found = nodesOf(tokens)
  const nodes = [...new Set(found)].sort((a, b) => (a.id < b.id ? -1 : 1))
  const places = new Map(nodes.map((node, place) => [node, place]))
  const byKind = new Map<number, number>()
  for (const [index, node] of found.entries()) {
    byKind.set(kindOf(tokens[index]?.token ?? '0'), places.get(node) ?? 0)
  }
  return { nodes, sessions: packSessions(steps, byKind), sampledShare }
}

/**
 * 64-bit keys are read as the 53 bits that a number holds exactly: with a million sessions the chance that any two
 * share them is 1 in 20,000, and then two sessions would be read as one.
 */
const highBits = 0x1f_ffff
const kindOf = (text: string) => Number(BigInt.asUintN(53, BigInt(text)))
const keyAt = (bytes: DataView, at: number) =>
  (bytes.getUint32(at + 4, true) & highBits) * 2 ** 32 + bytes.getUint32(at, true)

function packSessions(buffer: Uint8Array, byKind: ReadonlyMap<number, number>): Sequence[] {
  const bytes = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength)
  const count = Math.floor(buffer.byteLength / stepBytes)
  const owners = new Int32Array(count)
  const kinds = new Int32Array(count)
  const sizes: number[] = []
  const bySession = new Map<number, number>()
  for (let row = 0; row < count; row += 1) {
    const kind = byKind.get(keyAt(bytes, row * stepBytes + 16)) ?? -1
    kinds[row] = kind
    if (kind === -1) continue
    const key = keyAt(bytes, row * stepBytes)
    const known = bySession.get(key)
    const owner = known ?? sizes.length
    if (known === undefined) {
      bySession.set(key, owner)
      sizes.push(0)
    }
    owners[row] = owner
    sizes[owner] = (sizes[owner] ?? 0) + 1
  }
  const sessions = sizes.map((size) => ({ steps: new Int32Array(size), ms: new Float64Array(size) }))
  const filled = new Int32Array(sizes.length)
  for (let row = 0; row < count; row += 1) {
    const kind = kinds[row] ?? -1
    const owner = owners[row] ?? 0
    const session = sessions[owner]
    if (kind === -1 || session === undefined) continue
    const place = filled[owner] ?? 0
    session.steps[place] = kind
    session.ms[place] = bytes.getFloat64(row * stepBytes + 8, true)
    filled[owner] = place + 1
  }
  return sessions.map(inOrder)
}

/** Rows come nearly in the order of time, so most sessions are in order already. */
function inOrder(session: Sequence): Sequence {
  const { steps, ms } = session
  const isBefore = (a: number, b: number) =>
    (ms[a] ?? 0) < (ms[b] ?? 0) || (ms[a] === ms[b] && (steps[a] ?? 0) <= (steps[b] ?? 0))
  let isSorted = true
  for (let place = 1; place < steps.length && isSorted; place += 1) isSorted = isBefore(place - 1, place)
  if (isSorted) return session
  const order = Array.from(steps.keys()).sort(
    (a, b) => (ms[a] ?? 0) - (ms[b] ?? 0) || (steps[a] ?? 0) - (steps[b] ?? 0),
  )
  return {
    steps: Int32Array.from(order, (place) => steps[place] ?? 0),
    ms: Float64Array.from(order, (place) => ms[place] ?? 0),
  }
}

/** The same with each run of one step as one: when it began and when it was last repeated. */
export type Runs = { steps: Int32Array; firstMs: Float64Array; lastMs: Float64Array }

export function runsOf({ steps, ms }: Sequence): Runs {
  const runs = {
    steps: new Int32Array(steps.length),
    firstMs: new Float64Array(steps.length),
    lastMs: ms.slice(),
  }
  let count = 0
  for (let place = 0; place < steps.length; place += 1) {
    const isRepeat = count > 0 && runs.steps[count - 1] === steps[place]
    if (!isRepeat) {
      runs.steps[count] = steps[place] ?? 0
      runs.firstMs[count] = ms[place] ?? 0
      count += 1
    }
    runs.lastMs[count - 1] = ms[place] ?? 0
  }
  return {
    steps: runs.steps.subarray(0, count),
    firstMs: runs.firstMs.subarray(0, count),
    lastMs: runs.lastMs.subarray(0, count),
  }
}
