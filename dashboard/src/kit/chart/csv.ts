import { text } from '../../text.ts'
import { type ChartContent, hasPrevious } from './chart-data.ts'
import { type CsvTable, csvText } from './csv-text.ts'

/** Every series of a chart, also those that the legend hides, with full numbers. */
export function chartTable({ points, series, previousName }: ChartContent): CsvTable {
  const compared = hasPrevious(series) ? series.filter(({ previous }) => previous !== undefined) : []
  return {
    columns: [
      text.chart.time,
      ...series.map(({ name }) => name),
      ...compared.map(({ name }) => `${name} (${previousName})`),
      text.chart.complete,
    ],
    rows: points.map(({ start, isComplete }, index) => [
      start,
      ...series.map(({ values }) => values[index] ?? null),
      ...compared.map(({ previous }) => previous?.[index] ?? null),
      isComplete !== false,
    ]),
  }
}

/** A name that every file system takes. */
export const fileName = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60) || 'chart'

export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

export function saveCsv(title: string, table: CsvTable): void {
  saveFile(`${fileName(title)}.csv`, new Blob([csvText(table)], { type: 'text/csv;charset=utf-8' }))
}
