import { conversionNames, type Node } from '../sequences/nodes.ts'
import type { Sequence } from '../sequences/sequences.ts'
import { shareOf } from '../statistics.ts'
import { type Pattern, prefixSpan } from './prefix-span.ts'

/** A way that many sessions go to something that matters. */
export type FoundFunnel = {
  /** Places in the list of nodes; the last is what it leads to. */
  steps: readonly number[]
  /** Sessions that went the whole way. */
  support: number
  /** How much likelier the end is for those who took all steps before it. */
  lift: number
}

/** Decisions §7: below this nothing is claimed. */
const sessionsMin = 30
const shareMin = 0.005
/** Algorithms §4.2: steps in all, and how often one has to come before the other where both are. */
const stepsMax = 6
const orderShareMin = 0.7
/**
 * A step belongs to a way only if whoever takes it gets to the end at least twice as often as who does not. What people
 * do on any visit lies near 1, a step that nobody can go round far above.
 */
const reachRatioMin = 2
/** Bounds of the search; a real funnel has few steps that matter. */
const candidatesMax = 15
const patternsMax = 20_000
const funnelsPerGoalMax = 3
/** Where no conversion is sent: the rarest of what people do on purpose. */
const rareShare = 0.05
const rareGoalsMax = 3

export function supportMinOf(sessions: number): number {
  return Math.max(sessionsMin, Math.ceil(sessions * shareMin))
}

/** Algorithms §4.2, on the first time that each thing is done in a session. */
export function discoverFunnels(sessions: readonly Sequence[], nodes: readonly Node[]): FoundFunnel[] {
  const supportMin = supportMinOf(sessions.length)
  const firsts = sessions.map(({ steps }) => firstTimes(steps))
  const reach = countNodes(firsts, nodes.length)
  const goals = goalsOf(nodes, reach, supportMin)
  return goals.flatMap((goal) => waysTo(goal, firsts, nodes.length, supportMin))
}

function firstTimes(steps: Int32Array): Int32Array {
  const seen = new Set<number>()
  return steps.filter((step) => {
    const isNew = !seen.has(step)
    seen.add(step)
    return isNew
  })
}

function countNodes(firsts: readonly Int32Array[], nodeCount: number): Int32Array {
  const counts = new Int32Array(nodeCount)
  for (const steps of firsts) for (const step of steps) counts[step] = (counts[step] ?? 0) + 1
  return counts
}

function goalsOf(nodes: readonly Node[], reach: Int32Array, supportMin: number): number[] {
  const places = [...nodes.keys()]
  const isConversion = (place: number) => conversionNames.some((name) => name === nodes[place]?.match.event)
  const conversions = places.filter(isConversion)
  const isEnough = (place: number) => (reach[place] ?? 0) >= supportMin
  if (conversions.length > 0) return conversions.filter(isEnough)
  const onPurpose = places.filter((place) => nodes[place]?.type === 'event' || nodes[place]?.type === 'form')
  const rarest = onPurpose.filter(isEnough).sort((a, b) => (reach[a] ?? 0) - (reach[b] ?? 0) || a - b)
  return rarest.slice(0, Math.min(rareGoalsMax, Math.ceil(onPurpose.length * rareShare)))
}

function waysTo(
  goal: number,
  firsts: readonly Int32Array[],
  nodeCount: number,
  supportMin: number,
): FoundFunnel[] {
  const before = firsts.map((steps) => {
    const at = steps.indexOf(goal)
    return { steps: at === -1 ? steps : steps.subarray(0, at), isReached: at !== -1 }
  })
  const candidates = candidatesOf(before, nodeCount, supportMin)
  if (candidates.size === 0) return []
  const kept = before.map(({ steps, isReached }) => ({
    steps: steps.filter((step) => candidates.has(step)),
    isReached,
  }))
  const all = kept.map(({ steps }) => steps)
  const isInOrder = orderCheck(all)
  const options = { supportMin, lengthMax: stepsMax - 1, patternsMax }
  const anywhere = new Map(prefixSpan(all, options).map(({ items, support }) => [items.join(' '), support]))
  const converted = kept.filter(({ isReached }) => isReached).map(({ steps }) => steps)
  const base = shareOf(converted.length, firsts.length)
  const liftOf = ({ items, support }: Pattern) =>
    shareOf(shareOf(support, anywhere.get(items.join(' ')) ?? support), base)
  const found: FoundFunnel[] = []
  let unexplained = converted
  while (unexplained.length >= supportMin && found.length < funnelsPerGoalMax) {
    const patterns = prefixSpan(unexplained, options).filter(({ items }) => isInOrder(items))
    const best = bestOf(patterns, liftOf)
    if (best === undefined) break
    const support = converted.filter((steps) => holds(steps, best.items)).length
    found.push({ steps: [...best.items, goal], support, lift: liftOf({ items: best.items, support }) })
    // Whoever went this way is accounted for; another way is claimed only for those who did not.
    unexplained = unexplained.filter((steps) => !holds(steps, best.items))
  }
  return found
}

type Before = { steps: Int32Array; isReached: boolean }

/** Steps with which the goal is reached clearly more often than without. */
function candidatesOf(before: readonly Before[], nodeCount: number, supportMin: number): Set<number> {
  const passed = countNodes(
    before.map(({ steps }) => steps),
    nodeCount,
  )
  const reached = before.filter(({ isReached }) => isReached)
  const converted = countNodes(
    reached.map(({ steps }) => steps),
    nodeCount,
  )
  const ratioOf = (place: number) => {
    const [with1, goal1] = [passed[place] ?? 0, converted[place] ?? 0]
    // Half a session more on each side keeps the ratio finite where nobody goes round the step.
    const rate = (goal1 + 0.5) / (with1 + 1)
    return rate / ((reached.length - goal1 + 0.5) / (before.length - with1 + 1))
  }
  const sound = [...converted.keys()]
    .filter((place) => (converted[place] ?? 0) >= supportMin && ratioOf(place) >= reachRatioMin)
    .sort((a, b) => (converted[b] ?? 0) - (converted[a] ?? 0) || a - b)
  return new Set(sound.slice(0, candidatesMax))
}

/** Whether of every two steps the first comes first in most sessions that have both. */
function orderCheck(all: readonly Int32Array[]): (items: readonly number[]) => boolean {
  const counts = new Map<number, Map<number, number>>()
  for (const steps of all) {
    for (let late = 1; late < steps.length; late += 1) {
      for (let early = 0; early < late; early += 1) {
        const row = counts.get(steps[early] ?? 0) ?? new Map<number, number>()
        counts.set(steps[early] ?? 0, row)
        row.set(steps[late] ?? 0, (row.get(steps[late] ?? 0) ?? 0) + 1)
      }
    }
  }
  const countOf = (a: number, b: number) => counts.get(a)?.get(b) ?? 0
  const isOrdered = (a: number, b: number) =>
    shareOf(countOf(a, b), countOf(a, b) + countOf(b, a)) >= orderShareMin
  return (items) =>
    items.every((late, place) => items.slice(0, place).every((early) => isOrdered(early, late)))
}

/** Common, telling and long; of equals the one that comes first by its items, so that runs agree. */
function bestOf(patterns: readonly Pattern[], liftOf: (pattern: Pattern) => number): Pattern | undefined {
  const scored = patterns.map((pattern) => ({
    pattern,
    score: pattern.support * liftOf(pattern) * Math.sqrt(pattern.items.length + 1),
    key: pattern.items.join(' '),
  }))
  return scored.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))[0]?.pattern
}

function holds(steps: Int32Array, items: readonly number[]): boolean {
  let at = -1
  return items.every((item) => {
    at = steps.indexOf(item, at + 1)
    return at !== -1
  })
}
