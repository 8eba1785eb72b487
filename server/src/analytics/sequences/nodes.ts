import { foldPaths } from './fold-paths.ts'

type NodeType = 'page' | 'form' | 'action' | 'event'

/** An action on a site, at the level of detail that people use. */
export type Node = {
  id: string
  type: NodeType
  label: string
  /** The matching events, as in the steps of a funnel. */
  match: { event: string; path?: string; target?: string }
}

/** One kind of stored event: a name, and the path of a page or the target of a click or submit. */
export type Token = { name: string; detail: string; count: number }

export const conversionNames = ['$purchase', '$subscribe', '$signup'] as const

/** The node of each token, in the same order. Tokens with the same meaning share one. */
export function nodesOf(tokens: readonly Token[]): Node[] {
  const views = tokens.filter(({ name }) => name === '$pageview')
  const folded = foldPaths(views.map(({ detail, count }) => ({ path: detail, count })))
  const known = new Map<string, Node>()
  return tokens.map((token) => {
    const node = nodeOf(token, folded)
    const same = known.get(node.id)
    if (same !== undefined) return same
    known.set(node.id, node)
    return node
  })
}

function nodeOf({ name, detail }: Token, folded: ReadonlyMap<string, string>): Node {
  if (name === '$pageview') {
    const path = folded.get(detail) ?? detail
    return { id: `page:${path}`, type: 'page', label: pageLabel(path), match: { event: name, path } }
  }
  if (name === '$form_submit') return withTarget('form', name, detail, `${words(detail) || 'A'} form`)
  if (name === '$click') return withTarget('action', name, detail, `Click on ${words(detail) || 'something'}`)
  return { id: `event:${name}`, type: 'event', label: words(name.replace(/^\$/, '')), match: { event: name } }
}

function withTarget(type: 'form' | 'action', event: string, target: string, label: string): Node {
  return { id: `${type}:${target}`, type, label, match: { event, ...(target !== '' && { target }) } }
}

/** `/app/billing` is the App billing page; ids are left out. */
function pageLabel(path: string): string {
  const named = path.split('/').filter((part) => part !== '' && !part.startsWith(':'))
  return named.length === 0 && !path.includes(':') ? 'Home page' : `${words(named.join(' ')) || 'Inner'} page`
}

/** `add_to-cart` becomes `Add to cart`. */
function words(name: string): string {
  const spaced = name.replace(/[_-]+/g, ' ').replace(/\s+/g, ' ').trim()
  return spaced.slice(0, 1).toUpperCase() + spaced.slice(1)
}
