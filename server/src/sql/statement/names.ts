import { sqlTables } from '@assay/contract'
import { computedColumns, eventColumnList } from '../../store/event-columns.ts'
import type { Name, Query } from '../parser/syntax.ts'
import { refusedAt } from '../refusal.ts'

const shown: ReadonlySet<string> = new Set(
  Object.values(sqlTables).flatMap(({ columns }) => columns.map(({ name }) => name)),
)
/** Columns of the store's own tables that queries do not see: nothing of a query may be called so. */
const inner: ReadonlySet<string> = new Set(
  [...eventColumnList.map(([name]) => name), ...Object.keys(computedColumns), 'generation', 'raw'].filter(
    (name) => !shown.has(name),
  ),
)

/** Of the names that statements give to tables of a query. */
export const ownPrefix = 'assay_'

/** Names of columns that can be meant somewhere in a query: those of tables, and those that it gives. */
export function definedNames(text: string, query: Query): ReadonlySet<string> {
  const names = new Set([...shown, 'number'])
  walk(query, (node) => {
    for (const name of given(node)) {
      if (inner.has(name.value) || name.value.startsWith(ownPrefix))
        throw refusedAt(text, name.at, `“${name.value}” cannot be used as a name`)
      names.add(name.value)
    }
    // What an expression without a name is called.
    if (node.kind === 'item' && node.alias === null && typeof node.source === 'string' && !isPlain(node.of)) {
      names.add(node.source)
    }
  })
  return names
}

/** A column by its name alone, which is not made here. */
const isPlain = (of: unknown) =>
  isNode(of) && of.kind === 'column' && Array.isArray(of.parts) && of.parts.length === 1

type Node = Readonly<Record<string, unknown>>

/** Every part of a query, in any order. */
export function walk(node: unknown, see: (node: Node) => void): void {
  if (Array.isArray(node)) for (const one of node) walk(one, see)
  else if (isNode(node)) {
    see(node)
    for (const part of Object.values(node)) walk(part, see)
  }
}

export const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

function given(node: Node): Name[] {
  const { name, alias, parameters } = node
  if (node.kind === 'lambda' && Array.isArray(parameters)) return parameters.filter(isName)
  return [...(node.kind === 'value' ? [name] : []), alias].filter(isName)
}

const isName = (value: unknown): value is Name =>
  isNode(value) && typeof value.value === 'string' && typeof value.at === 'number'

/** Whether anything asks who did something. */
export function asksPeople(query: Query): boolean {
  let isAsked = false
  walk(query, (node) => {
    if (node.kind === 'star') isAsked = true
    if (node.kind === 'column' && Array.isArray(node.parts)) {
      isAsked ||= node.parts.some((part) => isName(part) && part.value === 'person_id')
    }
    if (node.kind === 'join' && Array.isArray(node.using)) {
      isAsked ||= node.using.some((part) => isName(part) && part.value === 'person_id')
    }
  })
  return isAsked
}
