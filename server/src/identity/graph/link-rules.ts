import { identityLimits, type LedgerType } from '@assay/contract'
import { isDevice, isUnique } from './identifier.ts'
import { type Graph, type Link, type Node, partition } from './partition.ts'

/** The surrounding graph, and which pairs must not be merged automatically. */
export type Neighbourhood = {
  graph: Graph
  apart: readonly (readonly [string, string])[]
  /** Devices that were never seen before. */
  unseen: ReadonlySet<string>
}

export type Refusal = 'conflict' | 'kept_apart' | 'too_many_identifiers' | 'too_many_merges'

/**
 * Result of a claim.
 * - `known`: nothing new. `joined`: the two are one person from now on, or were so by other links.
 * - `shared`: the device belongs to neither of those who claim it. `refused`: nothing is recorded.
 */
export type Judgement =
  | { kind: 'known' }
  | { kind: 'joined'; entryType: LedgerType; after: Map<string, string>; before: Map<string, string> }
  | { kind: 'shared'; isNew: boolean; after: Map<string, string>; before: Map<string, string> }
  | { kind: 'refused'; why: Refusal }

/**
 * A device that this many people claim is a kiosk; further claims change nothing. The bound limits what has
 * to be loaded.
 */
const claimsMax = 20

/** An event or a call claims that two identifiers belong to one person. */
export function judgeStatement(around: Neighbourhood, link: Link): Judgement {
  const { graph } = around
  const before = partition(graph)
  const isOne = before.get(link.a) === before.get(link.b)
  if (graph.links.some((other) => !other.isExplicit && isSamePair(other, link))) {
    return isOne ? { kind: 'known' } : { kind: 'shared', isNew: false, before, after: before }
  }
  const [isDeviceA, isDeviceB] = [link.a, link.b].map((end) => isDevice(typeOf(graph, end)))
  const isClaim = isDeviceA !== isDeviceB
  if (!isOne) {
    if (spansApart(around, before, link)) return { kind: 'refused', why: 'kept_apart' }
    if (!isClaim && clashes(graph, before, link)) return { kind: 'refused', why: 'conflict' }
  } else if (!isClaim && isTrueByMergeOnly(around, link)) {
    return { kind: 'known' }
  }
  return isClaim ? judgeClaim(around, before, link) : judgeJoin(around, before, link)
}

function judgeClaim(around: Neighbourhood, before: Map<string, string>, link: Link): Judgement {
  const { graph } = around
  const device = isDevice(typeOf(graph, link.a)) ? link.a : link.b
  const claims = graph.links.filter(({ a, b, isExplicit }) => !isExplicit && (a === device || b === device))
  if (claims.length >= claimsMax) {
    const isOne = before.get(link.a) === before.get(link.b)
    return isOne ? { kind: 'known' } : { kind: 'shared', isNew: false, before, after: before }
  }
  const after = partition({ ...graph, links: [...graph.links, link] })
  if (after.get(link.a) !== after.get(link.b)) return { kind: 'shared', isNew: true, before, after }
  return joinedWithinLimits(around, before, after, link)
}

function judgeJoin(around: Neighbourhood, before: Map<string, string>, link: Link): Judgement {
  const { graph } = around
  const after = partition({ ...graph, links: [...graph.links, link] })
  // Two devices of which one is shared: joining them would take the other from its person.
  const losesPerson = [link.a, link.b].some(
    (end) => isIdentified(graph, before, end) && !isIdentified(graph, after, end),
  )
  if (losesPerson || after.get(link.a) !== after.get(link.b)) return { kind: 'refused', why: 'conflict' }
  return joinedWithinLimits(around, before, after, link)
}

/** An explicit merge: allowed for any identifiers within the limits. */
export function judgeMerge(around: Neighbourhood, link: Link): Judgement {
  const { graph } = around
  const before = partition(graph)
  if (before.get(link.a) === before.get(link.b)) return { kind: 'known' }
  const after = partition({ ...graph, links: [...graph.links, link] })
  return joinedWithinLimits(around, before, after, link)
}

function joinedWithinLimits(
  { graph, unseen }: Neighbourhood,
  before: Map<string, string>,
  after: Map<string, string>,
  link: Link,
): Judgement {
  const isOne = before.get(link.a) === before.get(link.b)
  const isAttached = [link.a, link.b].some((end) => unseen.has(end))
  const entryType = link.isExplicit || (!isOne && !isAttached) ? 'merge' : 'link'
  const personId = after.get(link.a)
  const isMember = (originalId: string) => after.get(originalId) === personId
  const members = [...graph.nodes.keys()].filter(isMember).length
  if (members > identityLimits.identifiersMax) return { kind: 'refused', why: 'too_many_identifiers' }
  const merges = graph.links.filter((other) => other.entryType === 'merge' && isMember(other.a)).length
  if (entryType === 'merge' && merges + 1 > identityLimits.mergesMax) {
    return { kind: 'refused', why: 'too_many_merges' }
  }
  return { kind: 'joined', entryType, before, after }
}

function isSamePair(left: Link, right: Link): boolean {
  return (left.a === right.a && left.b === right.b) || (left.a === right.b && left.b === right.a)
}

function typeOf({ nodes }: Graph, originalId: string): string {
  return nodes.get(originalId)?.type ?? 'anonymous_id'
}

function membersOf(graph: Graph, people: ReadonlyMap<string, string>, end: string): Node[] {
  const personId = people.get(end)
  return [...graph.nodes.values()].filter(({ originalId }) => people.get(originalId) === personId)
}

function isIdentified(graph: Graph, people: ReadonlyMap<string, string>, end: string): boolean {
  return membersOf(graph, people, end).some(({ type }) => !isDevice(type))
}

function spansApart({ apart }: Neighbourhood, people: ReadonlyMap<string, string>, { a, b }: Link): boolean {
  const [left, right] = [people.get(a), people.get(b)]
  return apart.some(([one, other]) => {
    const [first, second] = [people.get(one), people.get(other)]
    return (first === left && second === right) || (first === right && second === left)
  })
}

function statedOnly(graph: Graph): Graph {
  return { ...graph, links: graph.links.filter(({ isExplicit }) => !isExplicit) }
}

/** Both people have an identifier of which a person has only one. */
function clashes(graph: Graph, people: ReadonlyMap<string, string>, { a, b }: Link): boolean {
  const uniqueTypes = (end: string) =>
    membersOf(graph, people, end)
      .map(({ type }) => type)
      .filter(isUnique)
  const ofB = uniqueTypes(b)
  return uniqueTypes(a).some((type) => ofB.includes(type))
}

/**
 * Two people who are one only by an explicit merge must not stay one by later claims: such a claim is true
 * only while the merge is, and would have been refused without it.
 */
function isTrueByMergeOnly({ graph, unseen }: Neighbourhood, link: Link): boolean {
  const stated = statedOnly(graph)
  if (stated.links.length === graph.links.length) return false
  return judgeStatement({ graph: stated, apart: [], unseen }, link).kind === 'refused'
}
