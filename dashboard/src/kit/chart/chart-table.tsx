import { text } from '../../text.ts'
import { type Column, Table } from '../table.tsx'
import { type ChartContent, hasPrevious, marksAt } from './chart-data.ts'

type Row = { index: number; start: string; isComplete: boolean }

/** The same numbers as the drawing, for everyone who reads rather than looks. */
export function ChartTable({ content }: { content: ChartContent }) {
  const { title, points, series, previousName, marks } = content
  const rows = points.map(({ start, isComplete }, index) => ({
    index,
    start,
    isComplete: isComplete !== false,
  }))
  const write = (value: number | null | undefined, format = content.format) =>
    value === null || value === undefined ? text.nothing : format(value)
  const columns = series.flatMap((one): Column<Row>[] => [
    {
      title: series.length === 1 ? title : one.name,
      kind: 'number',
      cell: ({ index, isComplete }) => {
        const value = write(one.values[index], one.format)
        return isComplete ? value : `${value} (${text.chart.unfinished})`
      },
    },
    ...(one.previous !== undefined && hasPrevious(series)
      ? [
          {
            title: series.length === 1 ? previousName : `${one.name}, ${previousName}`,
            kind: 'number' as const,
            cell: ({ index }: Row) => write(one.previous?.[index], one.format),
          },
        ]
      : []),
  ])
  return (
    <Table
      caption={title}
      isMatrix
      columns={[
        { title: text.chart.time, cell: ({ start }) => content.describeStart(start) },
        ...columns,
        ...(marks.length > 0
          ? [
              {
                title: text.chart.marks,
                cell: ({ index }: Row) =>
                  marksAt(marks, points, index)
                    .map(({ words }) => words)
                    .join('; '),
              },
            ]
          : []),
      ]}
      rows={rows}
      keyOf={({ start }) => start}
    />
  )
}
