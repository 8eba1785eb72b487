import { tieOf } from '../../store/event-order.ts'
import type { EventRows } from '../tally/event-rows.ts'
import { orderedBy } from '../tally/tally.ts'
import { KeyNumbers } from './key-numbers.ts'
import { nodesOf, type Token } from './nodes.ts'
import { unseenNames } from './sequence-store.ts'
import type { Sequence, Sequences } from './sequences.ts'

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

/** All steps are in two long arrays, of which each session is a slice. */
function sessionsOf(
  rows: EventRows,
  tokens: readonly Token[],
  tokenOf: Int32Array,
  nodeOfToken: Int32Array,
): Sequence[] {
  const keyOf = new Int32Array(rows.count)
  for (let row = 0; row < rows.count; row += 1)
    keyOf[row] = tokenOf[row] === -1 ? -1 : (rows.session[row] ?? -1)
  const { order, starts } = orderedBy(keyOf, rows.sessions)
  const compare = byTime(rows, tokens, tokenOf)
  const steps = new Int32Array(order.length)
  const ms = new Float64Array(order.length)
  const sessions: Sequence[] = []
  for (let session = 0; session < rows.sessions; session += 1) {
    const [start, end] = [starts[session] ?? 0, starts[session + 1] ?? 0]
    if (start === end) continue
    sortPlaces(order.subarray(start, end), rows.ms, compare)
    for (let place = start; place < end; place += 1) {
      const row = order[place] ?? 0
      steps[place] = nodeOfToken[tokenOf[row] ?? 0] ?? 0
      ms[place] = rows.ms[row] ?? 0
    }
    sessions.push({ steps: steps.subarray(start, end), ms: ms.subarray(start, end) })
  }
  return sessions
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
function sortPlaces(
  places: Int32Array,
  ms: Float64Array,
  compare: (one: number, other: number) => number,
): void {
  for (let place = 1; place < places.length; place += 1) {
    if ((ms[places[place - 1] ?? 0] ?? 0) < (ms[places[place] ?? 0] ?? 0)) continue
    places.sort(compare)
    return
  }
}
