import { type Graph, type Link, partition } from '../graph/partition.ts'

export type Reversal = {
  before: Map<string, string>
  after: Map<string, string>
  /** All links to remove, the latest first. */
  reversed: Link[]
  /** Other links that still join both ends; empty if they are separate now. */
  stillJoinedBy: Link[]
}

/** Later merges that named a person because of this link: without it they mean another person. */
export function builtOn(graph: Graph, link: Link): Link[] {
  const gone = [link]
  const later = graph.links
    .filter(({ isExplicit, seq }) => isExplicit && seq > link.seq)
    .toSorted((left, right) => left.seq - right.seq)
  for (const merge of later) {
    const then = graph.links.filter(({ seq }) => seq < merge.seq)
    const withIt = partition({ ...graph, links: then })
    const without = partition({ ...graph, links: then.filter((other) => !gone.includes(other)) })
    if ([merge.a, merge.b].some((end) => !isSameGroup(withIt, without, end))) gone.push(merge)
  }
  return gone.slice(1)
}

function isSameGroup(
  left: ReadonlyMap<string, string>,
  right: ReadonlyMap<string, string>,
  end: string,
): boolean {
  for (const originalId of left.keys()) {
    const isLeft = left.get(originalId) === left.get(end)
    if (isLeft !== (right.get(originalId) === right.get(end))) return false
  }
  return true
}

export function planReversal(graph: Graph, links: readonly Link[]): Reversal {
  const rest = graph.links.filter((link) => !links.includes(link))
  const after = partition({ ...graph, links: rest })
  const [first] = links
  const isStillOne = first !== undefined && after.get(first.a) === after.get(first.b)
  return {
    before: partition(graph),
    after,
    reversed: links.toSorted((left, right) => right.seq - left.seq),
    stillJoinedBy: isStillOne ? shortestPath(rest, first.a, first.b) : [],
  }
}

/** Breadth first, so the path shown is one of the shortest. */
function shortestPath(links: readonly Link[], from: string, to: string): Link[] {
  const cameBy = new Map<string, { link: Link; from: string }>()
  const reached = [from]
  for (const end of reached) {
    if (end === to) break
    for (const link of links) {
      const next = link.a === end ? link.b : link.b === end ? link.a : undefined
      if (next === undefined || next === from || cameBy.has(next)) continue
      cameBy.set(next, { link, from: end })
      reached.push(next)
    }
  }
  const path: Link[] = []
  for (let step = cameBy.get(to); step !== undefined; step = cameBy.get(step.from)) path.unshift(step.link)
  return path
}
