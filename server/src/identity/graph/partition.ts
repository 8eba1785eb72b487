import type { Confidence, LedgerType } from '@assay/contract'
import { isDevice, rankOf } from './identifier.ts'

/** One identifier in the graph, under its original person id. */
export type Node = { originalId: string; type: string; firstSeenMs: number }

/** Two identifiers that belong together, by an entry of the ledger. */
export type Link = {
  entryId: string
  seq: number
  a: string
  b: string
  entryType: LedgerType
  /** An explicit merge, which devices cannot split. */
  isExplicit: boolean
  confidence: Confidence
  /** For an explicit merge: the end whose person keeps its id. */
  survivor?: string | null
}

/** The id that an explicit merge chose, and the position of that merge in the ledger. */
export type ChosenId = { id: string; seq: number }

export type Graph = {
  nodes: ReadonlyMap<string, Node>
  links: readonly Link[]
  /** Pairs known to be one person by links outside this graph. */
  ties?: readonly (readonly [string, string])[]
  /** Of people known by such pairs: the ids that explicit merges chose for them. */
  chosen?: readonly ChosenId[]
}

/**
 * Who is who, as a pure function of the live links, independent of their order: removing one gives the result
 * without it. Explicit merges and links between strong identifiers join. A device follows the strongest
 * identifier that claims it; if two people claim it equally, it is shared and follows neither.
 */
export function partition(graph: Graph): Map<string, string> {
  return nameGroups(graph, groupsOf(graph))
}

function groupsOf(graph: Graph): Groups {
  const groups = new Groups(graph.nodes.keys())
  const strong = [...graph.nodes.values()].filter(({ type }) => !isDevice(type))
  for (const [a, b] of graph.ties ?? []) groups.join(a, b)
  for (const link of graph.links) if (joinsAlways(graph, link)) groups.join(link.a, link.b)
  const anchored = new Set(strong.map(({ originalId }) => groups.find(originalId)))
  joinFloating(graph, groups, anchored)
  const claims = new Map<string, { rank: number; by: Set<string> }>()
  for (const link of graph.links) {
    const claim = claimOf(graph, groups, anchored, link)
    if (claim !== null) addClaim(claims, claim)
  }
  for (const [device, { by }] of claims) {
    const [only] = by
    if (by.size === 1 && only !== undefined) groups.join(device, only)
  }
  return groups
}

/** Ends outside the graph belong to people who are not in question. */
function isInside({ nodes }: Graph, { a, b }: Link): boolean {
  return nodes.has(a) && nodes.has(b)
}

function joinsAlways(graph: Graph, link: Link): boolean {
  if (!isInside(graph, link)) return false
  return link.isExplicit || (!isDeviceNode(graph, link.a) && !isDeviceNode(graph, link.b))
}

function isDeviceNode({ nodes }: Graph, originalId: string): boolean {
  return isDevice(nodes.get(originalId)?.type ?? 'anonymous_id')
}

/** Devices joined to each other stay together, regardless of whom they follow. */
function joinFloating(graph: Graph, groups: Groups, anchored: ReadonlySet<string>): void {
  const floats = (originalId: string) => !anchored.has(groups.find(originalId))
  for (const link of graph.links) {
    if (!isInside(graph, link) || link.isExplicit) continue
    if (isDeviceNode(graph, link.a) && isDeviceNode(graph, link.b) && floats(link.a) && floats(link.b)) {
      groups.join(link.a, link.b)
    }
  }
}

type Claim = { device: string; by: string; rank: number }

function claimOf(graph: Graph, groups: Groups, anchored: ReadonlySet<string>, link: Link): Claim | null {
  if (link.isExplicit || !isInside(graph, link)) return null
  const [a, b] = [groups.find(link.a), groups.find(link.b)]
  const isAnchoredA = anchored.has(a)
  if (isAnchoredA === anchored.has(b)) return null
  const claimant = isAnchoredA ? link.a : link.b
  const rank = rankOf(graph.nodes.get(claimant)?.type ?? '')
  return isAnchoredA ? { device: b, by: a, rank } : { device: a, by: b, rank }
}

function addClaim(claims: Map<string, { rank: number; by: Set<string> }>, claim: Claim): void {
  const known = claims.get(claim.device)
  if (known === undefined || claim.rank < known.rank) {
    claims.set(claim.device, { rank: claim.rank, by: new Set([claim.by]) })
  } else if (claim.rank === known.rank) {
    known.by.add(claim.by)
  }
}

/**
 * The id of a person is the one that the latest explicit merge chose, as long as its identifier is part of
 * the person; otherwise the one of its earliest-seen identifier, and of two seen at once of the stronger.
 */
function nameGroups(graph: Graph, groups: Groups): Map<string, string> {
  const names = namesOf(graph, groups, chosenIds(graph))
  return new Map(
    [...graph.nodes.keys()].map((originalId) => [
      originalId,
      names.get(groups.find(originalId)) ?? originalId,
    ]),
  )
}

/** What a merge chose, or a tie is known to have: if the id is not part of the person, its end is used. */
type Choice = ChosenId & { end: string }

function namesOf({ nodes }: Graph, groups: Groups, choices: readonly Choice[]): Map<string, string> {
  const first = new Map<string, Node>()
  for (const node of nodes.values()) {
    const root = groups.find(node.originalId)
    const known = first.get(root)
    if (known === undefined || isBefore(node, known)) first.set(root, node)
  }
  const names = new Map([...first].map(([root, { originalId }]) => [root, originalId]))
  for (const { id, end } of choices) {
    const root = groups.find(end)
    names.set(root, groups.find(id) === root ? id : end)
  }
  return names
}

/**
 * What each explicit merge chose, the earliest first: the id that the person of its survivor had by the links
 * before it. Reversed merges are not included, as if they had never been.
 */
function chosenIds(graph: Graph): Choice[] {
  const given = (graph.chosen ?? []).map((one) => ({ ...one, end: one.id }))
  const choices = given.filter(({ id }) => graph.nodes.has(id))
  // Ties are about the current state: the choice of an earlier merge cannot be derived from them.
  const isKnown = (link: Link) => choices.some(({ seq }) => seq === link.seq)
  const merges = graph.links
    .filter((link) => isInside(graph, link) && !isKnown(link))
    .flatMap(({ survivor, seq }) => (survivor ? { seq, end: survivor } : []))
    .toSorted((left, right) => left.seq - right.seq)
  for (const { seq, end } of merges) {
    const then = groupsOf({ ...graph, links: graph.links.filter((link) => link.seq < seq) })
    const before = bySeq(choices.filter((choice) => choice.seq < seq))
    choices.push({ seq, end, id: namesOf(graph, then, before).get(then.find(end)) ?? end })
  }
  return bySeq(choices)
}

const bySeq = (choices: readonly Choice[]) => choices.toSorted((left, right) => left.seq - right.seq)

function isBefore(left: Node, right: Node): boolean {
  if (left.firstSeenMs !== right.firstSeenMs) return left.firstSeenMs < right.firstSeenMs
  const [leftRank, rightRank] = [rankOf(left.type), rankOf(right.type)]
  return leftRank === rightRank ? left.originalId < right.originalId : leftRank < rightRank
}

/** Union-find with path halving. */
class Groups {
  readonly #parents = new Map<string, string>()

  constructor(members: Iterable<string>) {
    for (const member of members) this.#parents.set(member, member)
  }

  find(member: string): string {
    let at = member
    for (;;) {
      const parent = this.#parents.get(at) ?? at
      if (parent === at) return at
      const above = this.#parents.get(parent) ?? parent
      this.#parents.set(at, above)
      at = above
    }
  }

  join(left: string, right: string): void {
    const [leftRoot, rightRoot] = [this.find(left), this.find(right)]
    if (leftRoot !== rightRoot) this.#parents.set(leftRoot, rightRoot)
  }
}
