import type { ChosenId, Graph, Link, Node } from './partition.ts'

/**
 * A graph to which links are added one by one. A link can only change what is connected to its ends, which is
 * mostly very little, however much else is loaded.
 */
export class GrowingGraph {
  readonly #nodes: ReadonlyMap<string, Node>
  readonly #links = new Map<string, Link[]>()
  readonly #ties = new Map<string, (readonly [string, string])[]>()

  readonly #chosen: readonly ChosenId[]

  constructor({ nodes, links, ties = [], chosen = [] }: Graph) {
    this.#nodes = nodes
    this.#chosen = chosen
    for (const link of links) this.add(link)
    for (const tie of ties) for (const end of tie) push(this.#ties, end, tie)
  }

  add(link: Link): void {
    for (const end of [link.a, link.b]) push(this.#links, end, link)
  }

  around(ends: readonly string[]): Graph {
    const nodes = new Map<string, Node>()
    const links = new Set<Link>()
    const ties = new Set<readonly [string, string]>()
    const reached = new Set(ends)
    for (const end of reached) {
      const node = this.#nodes.get(end)
      if (node === undefined) continue
      nodes.set(end, node)
      for (const link of this.#links.get(end) ?? []) {
        links.add(link)
        reached.add(link.a).add(link.b)
      }
      for (const tie of this.#ties.get(end) ?? []) {
        ties.add(tie)
        for (const other of tie) reached.add(other)
      }
    }
    const sorted = [...links].sort((left, right) => left.seq - right.seq)
    const chosen = this.#chosen.filter(({ id }) => nodes.has(id))
    return { nodes, links: sorted, ties: [...ties], chosen }
  }
}

function push<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
