import type { Query } from '../parser/syntax.ts'
import { refused } from '../refusal.ts'
import { isNode, walk } from './names.ts'

/** Parts and tables of a query once every name stands for what it means: names of names double with each. */
const partsMax = 20_000
const tablesMax = 20

type Size = { parts: number; tables: number }

/** Refuses a short text that means a long query, which the store would analyse for minutes. */
export function requireSmall(query: Query): void {
  const meanings = meaningsOf(query)
  const known = new Map<string, Size>()
  const underWay = new Set<string>()
  const ofName = (name: string): Size => {
    const found = known.get(name)
    if (found !== undefined) return found
    // A name within its own meaning is a column.
    if (underWay.has(name)) return { parts: 1, tables: 0 }
    underWay.add(name)
    const sizes = (meanings.get(name) ?? []).map(sizeOf)
    underWay.delete(name)
    const size = {
      parts: Math.max(1, ...sizes.map(({ parts }) => parts)),
      tables: Math.max(0, ...sizes.map(({ tables }) => tables)),
    }
    known.set(name, size)
    return size
  }
  const sizeOf = (node: unknown): Size => {
    if (Array.isArray(node)) return sum(node.map(sizeOf))
    if (!isNode(node)) return { parts: 0, tables: 0 }
    const name = nameIn(node)
    const own = name === null ? sum(Object.values(node).map(sizeOf)) : ofName(name)
    const isTable = node.kind === 'named' || node.kind === 'numbers'
    return checked({ parts: own.parts + 1, tables: own.tables + (isTable ? 1 : 0) })
  }
  sizeOf(query)
}

function checked(size: Size): Size {
  if (size.tables > tablesMax)
    throw refused(`It reads more than ${tablesMax} tables, names and joins counted out`)
  if (size.parts > partsMax) throw refused('It is too long once every name stands for its meaning')
  return size
}

const sum = (sizes: readonly Size[]): Size =>
  sizes.reduce(
    (all, { parts, tables }) => checked({ parts: all.parts + parts, tables: all.tables + tables }),
    {
      parts: 0,
      tables: 0,
    },
  )

/** The name that a part stands for alone. */
function nameIn({ kind, name, parts }: Readonly<Record<string, unknown>>): string | null {
  if (kind === 'named') return textIn(name)
  return kind === 'column' && Array.isArray(parts) ? textIn(parts.at(-1)) : null
}

const textIn = (name: unknown) => (isNode(name) && typeof name.value === 'string' ? name.value : null)

/** By name, whatever part of the query it belongs to. */
function meaningsOf(query: Query): ReadonlyMap<string, unknown[]> {
  const meanings = new Map<string, unknown[]>()
  walk(query, (node) => {
    const name = textIn(node.kind === 'value' || node.kind === 'query' ? node.name : node.alias)
    const meaning = node.of ?? node.query ?? node.table
    if (name === null || meaning === undefined) return
    meanings.set(name, [...(meanings.get(name) ?? []), meaning])
  })
  return meanings
}
