import type { Answer } from '@assay/contract'
import { useState } from 'react'
import { useRead } from '../../api/reads.ts'
import { useFilters } from '../../filters/filters.ts'
import { usePlaceNames } from '../../filters/place-names.ts'
import { dimensionLabel, valueLabel } from '../../filters/terms.ts'
import { formatCount, formatShare } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { TextField } from '../../kit/field.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { usePeriod } from '../../shell/range.ts'
import { text } from '../../text.ts'
import type { Tab } from './breakdown-terms.ts'
import { useRowFilter } from './use-row-filter.ts'

/** Enough to search in; the rest is one row of others. */
const rowsMax = 250

type Row = Answer['rows'][number]
type BreakdownDialogProps = { tab: Tab; isOpen: boolean; onClose: () => void }

/** All rows of a breakdown, with search and more figures. */
export function BreakdownDialog({ tab, isOpen, onClose }: BreakdownDialogProps) {
  const title = dimensionLabel(tab.dimension)
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} isWide>
      {isOpen && <AllRows tab={tab} onClose={onClose} />}
      <div className="row end">
        <Button onClick={onClose}>{text.acts.close}</Button>
      </div>
    </Dialog>
  )
}

function AllRows({ tab, onClose }: Omit<BreakdownDialogProps, 'isOpen'>) {
  const [wanted, setWanted] = useState('')
  const period = usePeriod()
  usePlaceNames()
  const { list } = useFilters()
  const answer = useRead('runQuery', {
    body: {
      ...period,
      metrics: ['visitors', 'sessions', 'conversions', 'conversionRate'],
      dimensions: [tab.dimension],
      filters: [...list],
      limit: rowsMax,
      other: true,
    },
  })
  const labelOf = (row: Row) =>
    row.isOther ? text.breakdowns.others : valueLabel(tab.dimension, row.dimensions[0] ?? '')
  const fits = (row: Row) => labelOf(row).toLowerCase().includes(wanted.trim().toLowerCase())
  return (
    <>
      <TextField
        label={text.breakdowns.search}
        isLabelHidden
        placeholder={text.breakdowns.search}
        type="search"
        value={wanted}
        onChange={setWanted}
      />
      <Shown of={answer} lines={12}>
        {({ rows, totals }) => {
          const shown = rows.filter(fits)
          if (shown.length === 0) return <Empty title={text.overview.noRows} />
          const columns = columnsFor(tab, totals.metrics.visitors ?? 0, labelOf)
          return (
            <div className="dialog-scroll">
              <Table
                caption={dimensionLabel(tab.dimension)}
                columns={[
                  {
                    ...columns.name,
                    cell: (row) => <RowName {...{ row, tab, onClose }} label={labelOf(row)} />,
                  },
                  ...columns.figures,
                ]}
                rows={shown}
                keyOf={(row) => `${row.isOther} ${row.dimensions[0] ?? ''}`}
              />
            </div>
          )
        }}
      </Shown>
    </>
  )
}

type RowNameProps = { row: Row; tab: Tab; label: string; onClose: () => void }

function RowName({ row, tab, label, onClose }: RowNameProps) {
  const filterBy = useRowFilter(tab)
  const key = row.dimensions[0] ?? ''
  if (row.isOther || key === '')
    return <span className="soft">{label === '' ? text.overview.unknown : label}</span>
  return (
    <button
      type="button"
      className="plain break"
      onClick={() => {
        onClose()
        filterBy(key)
      }}
    >
      {label}
    </button>
  )
}

const isPartOfSession = ({ dimension }: Tab) => dimension === 'page' || dimension === 'event'

function columnsFor(
  tab: Tab,
  total: number,
  labelOf: (row: Row) => string,
): { name: Omit<Column<Row>, 'cell'>; figures: Column<Row>[] } {
  const number = (name: 'visitors' | 'sessions' | 'conversions'): Column<Row> => ({
    title: text.metrics[name],
    kind: 'number',
    cell: ({ metrics }) => formatCount(metrics[name] ?? 0),
    sortBy: ({ metrics }) => metrics[name] ?? 0,
  })
  const share: Column<Row> = {
    title: text.breakdowns.share,
    kind: 'number',
    cell: ({ metrics }) => (total === 0 ? text.nothing : formatShare((metrics.visitors ?? 0) / total)),
  }
  const rate: Column<Row> = {
    title: text.metrics.conversionRate,
    kind: 'number',
    cell: ({ metrics: { conversionRate } }) =>
      conversionRate == null ? text.nothing : formatShare(conversionRate),
    sortBy: ({ metrics }) => metrics.conversionRate ?? null,
  }
  // A session converts once, on one page and by one event: next to the rate of sessions that number would mislead.
  const conversions = isPartOfSession(tab) ? [] : [number('conversions')]
  return {
    name: { title: dimensionLabel(tab.dimension), sortBy: labelOf },
    figures: [number('visitors'), share, number('sessions'), ...conversions, rate],
  }
}
