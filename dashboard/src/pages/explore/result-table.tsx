import type { Answer } from '@assay/contract'
import { useFilters } from '../../filters/filters.ts'
import { dimensionLabel } from '../../filters/terms.ts'
import { changeOf, formatFigure, formatShare } from '../../format.ts'
import { Card } from '../../kit/card.tsx'
import { saveCsv } from '../../kit/chart/csv.ts'
import { DownloadMenu } from '../../kit/chart/download-menu.tsx'
import { Empty } from '../../kit/states.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { comparisonName, useComparison } from '../../shell/range.ts'
import { text } from '../../text.ts'
import { byWords, groupWords, type LabelOf } from './answer.ts'

type Row = Answer['rows'][number]
type ResultTableProps = { answer: Answer; labelOf: LabelOf }

/** A row for each group of values. A value is a filter. */
export function ResultTable({ answer, labelOf }: ResultTableProps) {
  const words = text.explore
  const measured = answer.metrics.map(({ name }) => labelOf(name)).join(', ')
  const names = answer.dimensions
  const previous = comparisonName(useComparison())
  const title = names.length === 0 ? measured : words.measuredBy(measured, byWords(names))
  const download = (
    <DownloadMenu title={title} onCsv={() => saveCsv(title, csvOf(answer, labelOf, previous))} />
  )
  const rows = answer.rows
  const columns = [...useValueColumns(answer), ...figureColumns(answer, labelOf)]
  return (
    <Card title={title} act={download}>
      {rows.length === 0 ? (
        <Empty title={words.noRows}>{words.noRowsDetail}</Empty>
      ) : (
        <Table
          caption={title}
          isMatrix
          isPart={answer.hasMore}
          columns={columns}
          rows={rows}
          keyOf={({ dimensions, isOther }) => (isOther ? 'other' : JSON.stringify(dimensions))}
        />
      )}
      {answer.hasMore && (
        <p className="soft small">{words.hasMore(rows.filter(({ isOther }) => !isOther).length)}</p>
      )}
    </Card>
  )
}

function useValueColumns(answer: Answer): readonly Column<Row>[] {
  const filters = useFilters()
  const { dimensions: names } = answer
  return names.map((name, index) => ({
    title: dimensionLabel(name),
    sortBy: (row: Row) => groupWords(row, names)[index] ?? null,
    cell: (row: Row) => {
      const words = groupWords(row, names)[index]
      const value = row.dimensions[index]
      if (row.isOther || value === null || value === undefined || value === '') {
        return <span className="soft">{words}</span>
      }
      return (
        <button
          type="button"
          className="cell-button"
          title={text.explore.filterBy(dimensionLabel(name), words ?? '')}
          onClick={() => filters.change([...filters.placed, { filter: ['is', name, [value]], plain: null }])}
        >
          {words}
        </button>
      )
    },
  }))
}

function figureColumns(answer: Answer, labelOf: LabelOf): readonly Column<Row>[] {
  const isCompared = answer.comparedPeriod !== null
  return answer.metrics.flatMap(({ name, unit }, place): Column<Row>[] => {
    const most = Math.max(0, ...answer.rows.map(({ metrics }) => metrics[name] ?? 0))
    const figure: Column<Row> = {
      title: labelOf(name),
      kind: 'number',
      sortBy: ({ metrics }) => metrics[name] ?? null,
      cell: ({ metrics }) => {
        const value = metrics[name] ?? null
        if (value === null) return text.nothing
        const share = most > 0 && value > 0 && place === 0 ? value / most : 0
        return (
          <span className="bar-cell">
            {share > 0 && <span className="bar-fill" style={{ width: `${share * 100}%` }} />}
            <span>{formatFigure(unit, value, answer.currency)}</span>
          </span>
        )
      },
    }
    if (!isCompared) return [figure]
    const change: Column<Row> = {
      title: text.explore.changeOf(labelOf(name)),
      kind: 'number',
      sortBy: (row) => changeOf(row.metrics[name] ?? null, row.comparison?.[name] ?? null),
      cell: (row) => {
        const value = changeOf(row.metrics[name] ?? null, row.comparison?.[name] ?? null)
        return value === null
          ? text.nothing
          : `${value > 0 ? '+' : value < 0 ? '−' : ''}${formatShare(Math.abs(value))}`
      },
    }
    return [figure, change]
  })
}

function csvOf(answer: Answer, labelOf: LabelOf, previous: string) {
  const { dimensions: names, metrics, rows } = answer
  const isCompared = answer.comparedPeriod !== null
  return {
    columns: [
      ...names.map(dimensionLabel),
      ...metrics.map(({ name }) => labelOf(name)),
      ...(isCompared ? metrics.map(({ name }) => `${labelOf(name)} (${previous})`) : []),
    ],
    rows: rows.map((row) => [
      ...(row.isOther ? groupWords(row, names) : names.map((_, index) => row.dimensions[index] ?? null)),
      ...metrics.map(({ name }) => row.metrics[name] ?? null),
      ...(isCompared ? metrics.map(({ name }) => row.comparison?.[name] ?? null) : []),
    ]),
  }
}
