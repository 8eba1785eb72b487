import { tieOf } from '../../store/event-order.ts'
import type { EventRows } from '../tally/event-rows.ts'
import { orderedBy } from '../tally/tally.ts'
import { KeyNumbers } from './key-numbers.ts'
import { nodesOf, type Token } from './nodes.ts'
import { unseenNames } from './sequence-store.ts'
import type { Sequences } from './sequences.ts'
import type { Sessions } from './sessions.ts'

/** The sessions of events that are at hand, as `readSequences` and `toSequences` have them from the store. */
export function sequencesOf(rows: EventRows): Sequences {
  const { tokens, tokenOf } = tokensOf(rows)
  const found = nodesOf(tokens)
  const nodes = [...new Set(found)].sort((a, b) => (a.id < b.id ? -1 : 1))
  const places = new Map(nodes.map((node, place) => [node, place]))
  const nodeOfToken = Int32Array.from(found, (node) => places.get(node) ?? 0)
  return { nodes, sessions: sessionsOf(rows, tokens, tokenOf, nodeOfToken), sampledShare: 1 }
}

type Tokens = {
  tokens: Token[]
  /** The token of each event; -1 for events that are no step of a session. */
  tokenOf: Int32Array
}

function tokensOf(rows: EventRows): Tokens {
  const { name, path, target, session, count } = rows
  const isUnseen = Uint8Array.from(name.texts, (text) => (unseenNames.includes(text) ? 1 : 0))
  const viewName = name.texts.indexOf('$pageview')
  const keys = new KeyNumbers()
  const tokenOf = new Int32Array(count).fill(-1)
  const counts: number[] = []
  const firsts: number[] = []
  for (let row = 0; row < count; row += 1) {
    const called = name.numbers[row] ?? 0
    if (session[row] === -1 || isUnseen[called] === 1) continue
    const detail = (called === viewName ? path : target).numbers[row] ?? 0
    const token = keys.take(detail, called)
    if (token === counts.length) {
      counts.push(0)
      firsts.push(row)
    }
    counts[token] = (counts[token] ?? 0) + 1
    tokenOf[row] = token
  }
  const textOf = (row: number) => {
    const called = name.numbers[row] ?? 0
    const about = called === viewName ? path : target
    return { name: name.texts[called] ?? '', detail: about.texts[about.numbers[row] ?? 0] ?? '' }
  }
  return { tokens: firsts.map((row, token) => ({ ...textOf(row), count: counts[token] ?? 0 })), tokenOf }
}

function sessionsOf(
  rows: EventRows,
  tokens: readonly Token[],
  tokenOf: Int32Array,
  nodeOfToken: Int32Array,
): Sessions {
  const keyOf = new Int32Array(rows.count)
  for (let row = 0; row < rows.count; row += 1)
    keyOf[row] = tokenOf[row] === -1 ? -1 : (rows.session[row] ?? -1)
  const { order, starts } = orderedBy(keyOf, rows.sessions)
  const compare = byTime(rows, tokens, tokenOf)
  const steps = new Int32Array(order.length)
  const ms = new Float64Array(order.length)
  const [from, to] = [new Int32Array(rows.sessions), new Int32Array(rows.sessions)]
  let sessions = 0
  for (let session = 0; session < rows.sessions; session += 1) {
    const [start, end] = [starts[session] ?? 0, starts[session + 1] ?? 0]
    if (start === end) continue
    if (!isSorted(order, start, end, rows.ms)) order.subarray(start, end).sort(compare)
    for (let place = start; place < end; place += 1) {
      const row = order[place] ?? 0
      steps[place] = nodeOfToken[tokenOf[row] ?? 0] ?? 0
      ms[place] = rows.ms[row] ?? 0
    }
    from[sessions] = start
    to[sessions] = end
    sessions += 1
  }
  return { steps, ms, starts: from.subarray(0, sessions), ends: to.subarray(0, sessions) }
}

/** By time, then by arrival, then by kind, as the statement orders them. */
function byTime({ ms, arrival }: EventRows, tokens: readonly Token[], tokenOf: Int32Array) {
  const ties = tokens.map(({ name, detail }) => [tieOf(name), tieOf(detail)] as const)
  return (one: number, other: number): number => {
    const byArrival = (ms[one] ?? 0) - (ms[other] ?? 0) || (arrival[one] ?? 0) - (arrival[other] ?? 0)
    if (byArrival !== 0) return byArrival
    const [a, b] = [ties[tokenOf[one] ?? 0], ties[tokenOf[other] ?? 0]]
    return (a?.[0] ?? 0) - (b?.[0] ?? 0) || (a?.[1] ?? 0) - (b?.[1] ?? 0)
  }
}

/** Most sessions are in order already. */
function isSorted(places: Int32Array, start: number, end: number, ms: Float64Array): boolean {
  for (let place = start + 1; place < end; place += 1)
    if ((ms[places[place - 1] ?? 0] ?? 0) >= (ms[places[place] ?? 0] ?? 0)) return false
  return true
}
