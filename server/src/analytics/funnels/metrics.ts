import { hash } from 'node:crypto'
import type { DiscoveredFunnel } from '@assay/contract'
import { formatCount, formatShare } from '@assay/contract/number-text'
import type { Node } from '../sequences/nodes.ts'
import type { Sequences } from '../sequences/sequences.ts'
import { countSessions, cutSessions, type Sessions } from '../sequences/sessions.ts'
import { shareOf, wilson90 } from '../statistics.ts'
import { discoverFunnels, type FoundFunnel, supportMinOf } from './discover.ts'
import type { FunnelRow } from './state-store.ts'
import { stepFigures } from './step-figures.ts'
import { countWalks } from './walks.ts'

/** A funnel with its metrics; pins and names are added later. */
export type Figured = Omit<DiscoveredFunnel, 'status' | 'firstSeen' | 'lastSeen'>

export type FigureOptions = {
  siteId: string
  /** Sessions from here on are reported; those before are the comparison. */
  fromMs: number
  known: readonly FunnelRow[]
}

export type FiguredFunnels = {
  sessions: number
  sampledShare: number
  supportMin: number
  found: Pick<Named, 'id' | 'name' | 'stepIds'>[]
  funnels: Figured[]
}

/** Finds the funnels of some sessions, and counts them and the pinned ones. */
export function figureFunnels(both: Sequences, { siteId, fromMs, known }: FigureOptions): FiguredFunnels {
  const current = cutSessions(both.sessions, fromMs, Number.POSITIVE_INFINITY)
  const previous = cutSessions(both.sessions, 0, fromMs)
  const sessions = countSessions(current)
  const scene = { nodes: both.nodes, current, previous }
  const named = nameAll(discoverFunnels(current, both.nodes), scene.nodes, siteId, known)
  const pinned = known.filter(({ id, status }) => status === 'pinned' && !named.some((one) => one.id === id))
  return {
    sessions,
    sampledShare: both.sampledShare,
    supportMin: supportMinOf(sessions),
    found: named.map(({ id, name, stepIds }) => ({ id, name, stepIds })),
    funnels: [
      ...named.map((one) => figure(scene, one, whyOf(one, scene.nodes, sessions))),
      ...pinned.map((row) =>
        figure(scene, ofRow(row, scene.nodes), 'It is pinned; in this period it was not found again.'),
      ),
    ],
  }
}

type Named = {
  id: string
  name: string
  stepIds: string[]
  places: readonly number[]
  support: number
  lift: number
}

/**
 * The id is derived from the steps. A funnel that changed a little, such as by an inserted step, keeps the id
 * of the known one with the same goal and mostly the same steps.
 */
function nameAll(
  found: readonly FoundFunnel[],
  nodes: readonly Node[],
  siteId: string,
  known: readonly FunnelRow[],
): Named[] {
  const own = found.map(({ steps, support, lift }) => {
    const stepIds = steps.map((place) => nodes[place]?.id ?? '')
    return { id: funnelId(siteId, stepIds), stepIds, places: steps, support, lift }
  })
  const ids = new Set(own.map(({ id }) => id))
  const free = known.filter(({ id }) => !ids.has(id))
  const names = new Set<string>()
  return own.map((one) => {
    const isKnown = known.some(({ id }) => id === one.id)
    const alike = isKnown ? undefined : free.find(({ steps }) => likeness(steps, one.stepIds) >= likenessMin)
    if (alike !== undefined) free.splice(free.indexOf(alike), 1)
    const name = nameOf(one.places, nodes, names)
    names.add(name)
    return { ...one, id: alike?.id ?? one.id, name }
  })
}

const likenessMin = 0.6

/** Shared steps divided by all steps; 0 if the goals differ. */
function likeness(left: readonly string[], right: readonly string[]): number {
  if (left.at(-1) !== right.at(-1)) return 0
  const shared = left.filter((step) => right.includes(step)).length
  return shared / (left.length + right.length - shared)
}

/** 80 bits: no two funnels of a site collide. */
export function funnelId(siteId: string, stepIds: readonly string[]): string {
  return `fun_${hash('sha256', [siteId, ...stepIds].join('\n'), 'hex').slice(0, 20)}`
}

function nameOf(places: readonly number[], nodes: readonly Node[], taken: ReadonlySet<string>): string {
  const labels = places.map((place) => nodes[place]?.label ?? '')
  const end = lowerFirst(labels.at(-1) ?? '')
  const plain = `${labels[0]} to ${end}`
  return taken.has(plain) ? `${plain} via ${lowerFirst(labels.at(-2) ?? '')}` : plain
}

const lowerFirst = (text: string) => text.slice(0, 1).toLowerCase() + text.slice(1)

function whyOf({ places, support, lift }: Named, nodes: readonly Node[], sessions: number): string {
  const goal = lowerFirst(nodes[places.at(-1) ?? -1]?.label ?? '')
  const last = lowerFirst(nodes[places.at(-2) ?? -1]?.label ?? '')
  const share = formatShare(shareOf(support, sessions))
  return (
    `${formatCount(support)} of ${formatCount(sessions)} sessions (${share}) took these ${places.length} steps ` +
    'in this order. ' +
    `Sessions that reach ${last} this way continue to ${goal} ${lift.toFixed(1)} times as often as the average session.`
  )
}

function ofRow({ id, found_name: name, steps: stepIds }: FunnelRow, nodes: readonly Node[]): Named {
  const places = stepIds.map((stepId) => nodes.findIndex((node) => node.id === stepId))
  return { id, name, stepIds, places, support: 0, lift: 0 }
}

type Scene = { nodes: readonly Node[]; current: Sessions; previous: Sessions }

function figure(
  { nodes, current, previous }: Scene,
  { id, name, stepIds, places }: Named,
  why: string,
): Figured {
  // A step without a node gets an index behind all others.
  const steps = places.map((place, index) => (place === -1 ? nodes.length + index : place))
  const size = nodes.length + places.length
  const now = countWalks(current, steps, size)
  const then = countWalks(previous, steps, size)
  const [entered, last] = [now.entered[0] ?? 0, now.entered.at(-1) ?? 0]
  const enteredThen = then.entered[0] ?? 0
  return {
    id,
    name,
    kind: kindOf(stepIds.at(-1) ?? ''),
    steps: stepIds.map((key, index) => {
      const node = nodes[places[index] ?? -1]
      return {
        key,
        label: node?.label ?? key,
        match: node?.match ?? { event: key.replace(/^[^:]*:/, '') },
        ...stepFigures(now.entered, index),
        medianTimeMs: now.medianTimesMs[index] ?? null,
      }
    }),
    sessions: entered,
    conversionRate: shareOf(last, entered),
    ci90: wilson90(last, entered),
    previous: {
      sessions: enteredThen,
      conversionRate: enteredThen === 0 ? null : (then.entered.at(-1) ?? 0) / enteredThen,
    },
    withinMs: Math.round(now.tookMs),
    support: { sessions: last, share: shareOf(last, countSessions(current)) },
    why,
  }
}

function kindOf(goal: string): Figured['kind'] {
  if (goal === 'event:$purchase' || goal === 'event:$subscribe') return 'revenue'
  return goal === 'event:$signup' ? 'acquisition' : 'behaviour'
}
