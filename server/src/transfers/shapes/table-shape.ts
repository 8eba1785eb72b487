import type { TextRow } from '../control-store.ts'
import type { Brought, Named } from '../import/named-sets.ts'
import { type Check, text } from '../import/value-checks.ts'

export type Flaw = { column: string; reason: string }

/** What rows of a table may be: every column is declared, so that none comes in unseen. */
export type TableShape<Row = TextRow> = {
  columns: Readonly<Record<string, Check>>
  /** Ids of it that later rows may name. */
  names?: { as: Named; columns: readonly string[] }
  /** As many as the API lets a workspace, or a site, have. */
  rowsMax?: number
  perSiteMax?: number
  /** Rows that a job processes automatically, for all workspaces in turn: no import may fill its queue. */
  open?: { values: readonly string[]; rowsMax: number }
  /** What columns say together. */
  row?: (row: Row, brought: Brought) => Flaw | null | Promise<Flaw | null>
}

/** A list of texts as Postgres writes it: `{a,"b c"}`; null for what is none. */
function readTextList(value: unknown): string[] | null {
  if (typeof value !== 'string' || !value.startsWith('{') || !value.endsWith('}')) return null
  const inner = value.slice(1, -1)
  if (inner === '') return []
  const items: string[] = []
  const item = /(?:"((?:[^"\\]|\\.)*)"|([^",{}\\\s]+))(,|$)/gsy
  while (item.lastIndex < inner.length) {
    const found = item.exec(inner)
    if (found === null) return null
    const [, quoted, bare, end] = found
    if (bare?.toLowerCase() === 'null') return null
    items.push(quoted === undefined ? (bare ?? '') : quoted.replace(/\\(.)/gs, '$1'))
    if (end === '' && item.lastIndex < inner.length) return null
    if (end === ',' && item.lastIndex === inner.length) return null
  }
  return items
}

/** A column of texts. */
export function textList(check: Check, itemsMax: number): Check {
  const isText = text(itemsMax * 1_000 + 2)
  return (value, brought) => {
    const flaw = isText(value, brought)
    if (flaw !== null) return flaw
    const items = readTextList(value)
    if (items === null || items.length > itemsMax) return `must be a list of ${itemsMax} texts at most`
    for (const item of items) {
      const wrong = check(item, brought)
      if (wrong !== null) return `has an item that ${wrong}`
    }
    return null
  }
}
