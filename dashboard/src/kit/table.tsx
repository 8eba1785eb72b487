import { type ReactNode, useState } from 'react'
import type { Listing } from '../api/reads.ts'
import { capitalised } from '../plural.ts'
import { text } from '../text.ts'
import { Button } from './button.tsx'
import { Empty, Shown } from './states.tsx'
import { useStacked } from './use-stacked.ts'

export type Column<Row> = {
  title: string
  /** The name of something, such as a column of a query: it is not written with a capital. */
  isName?: boolean
  cell: (row: Row) => ReactNode
  /** A time and a number stay on one line. */
  kind?: 'number' | 'time' | 'act'
  /**
   * On a phone: at the end of a line, whose beginning another cell has; or without its name, since it says what it is.
   */
  phone?: 'end' | 'bare'
  /** What rows are put in order by, where that helps; null comes last. */
  sortBy?: (row: Row) => number | string | null
}

type TableProps<Row> = {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** More rows are still to be asked for: to order those that are there would mislead. */
  isPart?: boolean
  /** Read across as much as down: on a small screen it is scrolled, where others stand row by row. */
  isMatrix?: boolean
}

const headingOf = ({ title, isName }: { title: string; isName?: boolean | undefined }) =>
  isName === true ? title : capitalised(title)

type Order = { title: string; isDown: boolean }

function inOrder<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: Order): readonly Row[] {
  const sortBy = columns.find(({ title }) => title === order.title)?.sortBy
  if (sortBy === undefined) return rows
  const sign = order.isDown ? -1 : 1
  return rows.toSorted((a, b) => {
    const [one, other] = [sortBy(a), sortBy(b)]
    if (one === null || other === null) return Number(one === null) - Number(other === null)
    if (typeof one === 'number' && typeof other === 'number') return sign * (one - other)
    return sign * String(one).localeCompare(String(other), undefined, { numeric: true })
  })
}

export function Table<Row>({ caption, columns, rows, keyOf, ...more }: TableProps<Row>) {
  const { isPart = false, isMatrix = false } = more
  const { wrap, isStacked } = useStacked(columns.length)
  const look = isStacked && !isMatrix ? 'table-wrap stacked' : 'table-wrap'
  const [order, setOrder] = useState<Order | null>(null)
  const sorted = order === null || isPart ? rows : inOrder(rows, columns, order)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group that scrolls; a fieldset would be for a form
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the screen is scrolled by keys too
    <div className={look} ref={wrap} role="group" aria-label={caption} tabIndex={0}>
      <table>
        <caption className="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading
                key={column.title}
                column={column}
                order={order?.title === column.title ? order : null}
                isSortable={!isPart && column.sortBy !== undefined && rows.length > 1}
                onOrder={setOrder}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, isName, cell, kind, phone }) => (
                <td key={title} className={kind} data-phone={phone} data-title={headingOf({ title, isName })}>
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type HeadingProps<Row> = {
  column: Column<Row>
  order: Order | null
  isSortable: boolean
  onOrder: (order: Order | null) => void
}

/** The largest number and the first letter come first; then the other way round; then as it was. */
function Heading<Row>({ column, order, isSortable, onOrder }: HeadingProps<Row>) {
  const { title, kind } = column
  const heading = headingOf({ title, isName: column.isName })
  if (kind === 'act') {
    return (
      <th scope="col" className={kind}>
        <span className="hidden">{heading}</span>
      </th>
    )
  }
  if (!isSortable) {
    return (
      <th scope="col" className={kind}>
        {heading}
      </th>
    )
  }
  const firstDown = kind === 'number'
  const next = order === null ? { title, isDown: firstDown } : { title, isDown: !firstDown }
  const isLast = order !== null && order.isDown !== firstDown
  return (
    <th
      scope="col"
      className={kind}
      aria-sort={order === null ? 'none' : order.isDown ? 'descending' : 'ascending'}
    >
      <button type="button" className="sort" onClick={() => onOrder(isLast ? null : next)}>
        {heading}
        <span aria-hidden="true">{order === null ? '↕' : order.isDown ? '↓' : '↑'}</span>
      </button>
    </th>
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
          <Table rows={rows} isPart={of.more !== null} {...table} />
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
