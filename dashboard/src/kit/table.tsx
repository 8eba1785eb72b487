import type { ReactNode } from 'react'
import type { Listing } from '../api/reads.ts'
import { text } from '../text.ts'
import { Button } from './button.tsx'
import { Empty, Shown } from './states.tsx'

export type Column<Row> = {
  title: string
  cell: (row: Row) => ReactNode
  kind?: 'number' | 'act'
}

type TableProps<Row> = {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
}

export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group that scrolls; a fieldset would be for a form
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the screen is scrolled by keys too
    <div className="table-wrap" role="group" aria-label={caption} tabIndex={0}>
      <table>
        <caption className="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, kind }) => (
              <th key={title} scope="col" className={kind}>
                {kind === 'act' ? <span className="hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, kind }) => (
                <td key={title} className={kind}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type ListTableProps<Row> = Omit<TableProps<Row>, 'rows'> & {
  of: Listing<Row>
  empty: { title: string; detail?: ReactNode }
}

/** A list that is read page by page. */
export function ListTable<Row>({ of, empty, ...table }: ListTableProps<Row>) {
  const isEmpty = (rows: readonly Row[]) =>
    rows.length === 0 ? <Empty title={empty.title}>{empty.detail}</Empty> : null
  return (
    <Shown of={of} empty={isEmpty}>
      {(rows) => (
        <div className="stack">
          <Table rows={rows} {...table} />
          {of.more !== null && (
            <div>
              <Button onClick={of.more} disabled={of.isLoadingMore}>
                {text.acts.more}
              </Button>
            </div>
          )}
        </div>
      )}
    </Shown>
  )
}
