import { conversionNames, type Node } from '../sequences/nodes.ts'
import { countSessions, type Sessions } from '../sequences/sessions.ts'
import { shareOf } from '../statistics.ts'
import { type Pattern, prefixSpan } from './prefix-span.ts'

/** A path that many sessions take to a goal. */
export type FoundFunnel = {
  /** Indexes into the list of nodes; the last is the goal. */
  steps: readonly number[]
  /** Sessions that took all steps. */
  support: number
  /** How much likelier the goal is for sessions that took all previous steps. */
  lift: number
}

/** Decisions §7: with fewer sessions nothing is reported. */
const sessionsMin = 30
const shareMin = 0.005
/** Algorithms §4.2: total steps, and how often one has to come before the other in sessions with both. */
const stepsMax = 6
const orderShareMin = 0.7
/**
 * A step belongs to a path only if sessions with it reach the goal at least twice as often as those without.
 * Steps of any visit are near 1, an unavoidable step is far above.
 */
const reachRatioMin = 2
/** Bounds of the search; a real funnel has few relevant steps. */
const candidatesMax = 15
const patternsMax = 20_000
const funnelsPerGoalMax = 3
/** Without conversions: the rarest of deliberate actions. */
const rareShare = 0.05
const rareGoalsMax = 3

export function supportMinOf(sessions: number): number {
  return Math.max(sessionsMin, Math.ceil(sessions * shareMin))
}

/** Algorithms §4.2, on the first occurrence of each action in a session. */
export function discoverFunnels(sessions: Sessions, nodes: readonly Node[]): FoundFunnel[] {
  const supportMin = supportMinOf(countSessions(sessions))
  const firsts = firstTimes(sessions, nodes.length)
  const reach = countNodes(firsts, nodes.length)
  const goals = goalsOf(nodes, reach, supportMin)
  return goals.flatMap((goal) => waysTo(goal, firsts, nodes.length, supportMin))
}

/** The actions of each session, each once. */
function firstTimes({ steps, starts, ends }: Sessions, nodeCount: number): number[][] {
  const seenIn = new Int32Array(nodeCount).fill(-1)
  return Array.from(starts, (start, number) => {
    const firsts: number[] = []
    const end = ends[number] ?? 0
    for (let place = start; place < end; place += 1) {
      const step = steps[place] ?? 0
      if (seenIn[step] !== number) firsts.push(step)
      seenIn[step] = number
    }
    return firsts
  })
}

function countNodes(firsts: readonly (readonly number[])[], nodeCount: number): Int32Array {
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
  firsts: readonly (readonly number[])[],
  nodeCount: number,
  supportMin: number,
): FoundFunnel[] {
  const before = firsts.map((steps): Before => {
    const at = steps.indexOf(goal)
    return { steps: at === -1 ? steps : steps.slice(0, at), isReached: at !== -1 }
  })
  const candidates = candidatesOf(before, nodeCount, supportMin)
  const forms = formsOf(before, candidates)
  const isInOrder = orderCheck(forms)
  const options = { supportMin, lengthMax: stepsMax - 1, patternsMax }
  const everywhere = prefixSpan(
    forms.map(({ steps }) => steps),
    { ...options, weights: forms.map(({ all }) => all) },
  )
  const anywhere = new Map(everywhere.map(({ items, support }) => [items.join(' '), support]))
  const base = shareOf(before.filter(({ isReached }) => isReached).length, firsts.length)
  const liftOf = ({ items, support }: Pattern) =>
    shareOf(shareOf(support, anywhere.get(items.join(' ')) ?? support), base)
  const found: FoundFunnel[] = []
  let unexplained = forms.filter(({ reached }) => reached > 0)
  while (found.length < funnelsPerGoalMax) {
    const weights = unexplained.map(({ reached }) => reached)
    const patterns = prefixSpan(
      unexplained.map(({ steps }) => steps),
      { ...options, weights },
    )
    const best = bestOf(
      patterns.filter(({ items }) => isInOrder(items)),
      liftOf,
    )
    if (best === undefined) break
    const { items } = best
    const support = forms.reduce((sum, form) => sum + (holds(form.steps, items) ? form.reached : 0), 0)
    found.push({ steps: [...items, goal], support, lift: liftOf({ items, support }) })
    // These sessions are explained; another path is reported only for the rest.
    unexplained = unexplained.filter(({ steps }) => !holds(steps, items))
  }
  return found
}

/** What came before the goal, or everything if it was not reached. */
type Before = { steps: readonly number[]; isReached: boolean }
/** Sessions that are equal in the candidate steps, and how many of them reached the goal. */
type Form = { steps: readonly number[]; all: number; reached: number }

function formsOf(before: readonly Before[], candidates: ReadonlySet<number>): Form[] {
  const forms = new Map<string, Form>()
  for (const { steps, isReached } of before) {
    const kept = steps.filter((step) => candidates.has(step))
    if (kept.length === 0) continue
    const key = kept.join(' ')
    const form = forms.get(key) ?? { steps: kept, all: 0, reached: 0 }
    forms.set(key, form)
    form.all += 1
    if (isReached) form.reached += 1
  }
  return [...forms.values()]
}

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
    // Half a session more on each side keeps the ratio finite if every session takes the step.
    const rate = (goal1 + 0.5) / (with1 + 1)
    return rate / ((reached.length - goal1 + 0.5) / (before.length - with1 + 1))
  }
  const sound = [...converted.keys()]
    .filter((place) => (converted[place] ?? 0) >= supportMin && ratioOf(place) >= reachRatioMin)
    .sort((a, b) => (converted[b] ?? 0) - (converted[a] ?? 0) || a - b)
  return new Set(sound.slice(0, candidatesMax))
}

/** Whether of every two steps the first comes first in most sessions that have both. */
function orderCheck(forms: readonly Form[]): (items: readonly number[]) => boolean {
  const counts = new Map<number, Map<number, number>>()
  for (const { steps, all } of forms) {
    for (const [late, step] of steps.entries()) {
      for (const early of steps.slice(0, late)) {
        const row = counts.get(early) ?? new Map<number, number>()
        counts.set(early, row)
        row.set(step, (row.get(step) ?? 0) + all)
      }
    }
  }
  const countOf = (a: number, b: number) => counts.get(a)?.get(b) ?? 0
  const isOrdered = (a: number, b: number) =>
    shareOf(countOf(a, b), countOf(a, b) + countOf(b, a)) >= orderShareMin
  return (items) =>
    items.every((late, place) => items.slice(0, place).every((early) => isOrdered(early, late)))
}

/** Frequent, informative and long; ties are broken by the items, so that runs agree. */
function bestOf(patterns: readonly Pattern[], liftOf: (pattern: Pattern) => number): Pattern | undefined {
  const scored = patterns.map((pattern) => ({
    pattern,
    score: pattern.support * liftOf(pattern) * Math.sqrt(pattern.items.length + 1),
    key: pattern.items.join(' '),
  }))
  return scored.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))[0]?.pattern
}

function holds(steps: readonly number[], items: readonly number[]): boolean {
  let at = -1
  return items.every((item) => {
    at = steps.indexOf(item, at + 1)
    return at !== -1
  })
}
