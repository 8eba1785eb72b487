import type { SqlAnswer } from '@assay/contract'
import { useMemo } from 'react'
import { formatDecimals, intervalFormats } from '../../format.ts'
import { Card } from '../../kit/card.tsx'
import { saveCsv } from '../../kit/chart/csv.ts'
import { DownloadMenu } from '../../kit/chart/download-menu.tsx'
import { Chart } from '../../kit/chart.tsx'
import { Empty } from '../../kit/states.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { sqlText } from '../../text/sql.ts'
import { text } from '../../text.ts'
import { chartOf, isNumeric, numberOf, valueText } from './result-shape.ts'

const hourMs = 3_600_000
type Row = { cells: readonly unknown[]; place: number }

const formatNumber = (value: number) => formatDecimals(value, Number.isInteger(value) ? 0 : 2)

/** The rows of an answer, and a chart where they are figures over time. */
export function Result({ answer }: { answer: SqlAnswer }) {
  const words = sqlText.sql
  const chart = useMemo(() => chartOf(answer), [answer])
  const rows = useMemo(() => answer.rows.map((cells, place) => ({ cells, place })), [answer])
  const columns = useMemo(() => columnsOf(answer), [answer])
  const times = useMemo(() => {
    const [one, other] = chart?.points ?? []
    const isDaily =
      one === undefined || other === undefined || Date.parse(other.start) - Date.parse(one.start) > hourMs
    return intervalFormats(isDaily ? 'day' : 'hour', 'UTC')
  }, [chart])
  const csv = () =>
    saveCsv('sql', {
      columns: answer.columns.map(({ name }) => name),
      rows: answer.rows.map((row) => row.map(cellOf)),
    })
  return (
    <>
      {chart !== null && (
        <Card>
          <Chart
            title={words.chart}
            points={chart.points}
            series={chart.series}
            format={formatNumber}
            {...times}
          />
        </Card>
      )}
      <Card title={words.rows} act={<DownloadMenu title={words.rows} onCsv={csv} />}>
        {rows.length === 0 ? (
          <Empty title={words.noRows}>{words.noRowsDetail}</Empty>
        ) : (
          <Table
            caption={words.rows}
            isMatrix
            columns={columns}
            rows={rows}
            keyOf={({ place }) => String(place)}
          />
        )}
        {answer.truncated && <p className="soft small">{words.truncated(rows.length)}</p>}
      </Card>
    </>
  )
}

function cellOf(value: unknown): string | number | boolean | null {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
  return valueText(value)
}

/** Numbers on the right, the first of them with a bar behind it where the row begins with a text. */
function columnsOf({ columns, rows }: SqlAnswer): Column<Row>[] {
  const barred =
    columns[0]?.type.includes('String') === true ? columns.findIndex(({ type }) => isNumeric(type)) : -1
  const most = Math.max(0, ...rows.map((row) => numberOf(row[barred]) ?? 0))
  return columns.map(({ name, type }, index): Column<Row> => {
    // Two columns may have one name, but a table needs two.
    const title = columns.findIndex((one) => one.name === name) === index ? name : `${name} (${index + 1})`
    if (!isNumeric(type)) {
      return {
        title,
        isName: true,
        sortBy: ({ cells }) => valueText(cells[index]),
        cell: ({ cells }) => valueText(cells[index]) || text.nothing,
      }
    }
    return {
      title,
      isName: true,
      kind: 'number',
      sortBy: ({ cells }) => numberOf(cells[index]),
      cell: ({ cells }) => {
        const value = numberOf(cells[index])
        if (value === null) return text.nothing
        const shown = typeof cells[index] === 'string' ? String(cells[index]) : formatNumber(value)
        if (index !== barred || most <= 0 || value <= 0) return shown
        return (
          <span className="bar-cell">
            <span className="bar-fill" style={{ width: `${(value / most) * 100}%` }} />
            <span>{shown}</span>
          </span>
        )
      },
    }
  })
}
