import type { Answer } from '@assay/contract'
import type { Table } from '../../http/csv.ts'

/** The rows of an answer, for spreadsheets; the total has no row, since a spreadsheet would add it up again. */
export function answerTable({ dimensions, metrics, rows, comparedPeriod }: Answer): Table {
  const names = metrics.map(({ name }) => name)
  const hasTime = rows.some(({ isComplete }) => isComplete !== null)
  const compared = comparedPeriod === null ? [] : names.map((name) => `${name}_compared`)
  return {
    columns: [...dimensions, 'is_other', ...names, ...compared, ...(hasTime ? ['is_complete'] : [])],
    rows: rows.map((row) => [
      ...row.dimensions,
      row.isOther,
      ...names.map((name) => row.metrics[name] ?? null),
      ...(row.comparison === null ? [] : names.map((name) => row.comparison?.[name] ?? null)),
      ...(hasTime ? [row.isComplete] : []),
    ]),
  }
}
