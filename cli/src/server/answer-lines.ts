import type { Answer } from '@assay/contract'

/** A table, and below it what to know about it. */
export function answerLines({ dimensions, metrics, rows, totals, warnings, hasMore }: Answer): string[] {
  const names = metrics.map(({ name }) => name)
  const figures = (row: Answer['totals']) =>
    names.map((name) => {
      const before = row.comparison?.[name]
      const shown = figureText(row.metrics[name])
      return row.comparison === null ? shown : `${shown} (${figureText(before)})`
    })
  const values = (row: Answer['rows'][number]) =>
    row.isOther
      ? ['other', ...dimensions.slice(1).map(() => '')]
      : row.dimensions.map((value) => value ?? '–')
  const shown = dimensions.length === 0 ? [] : rows.map((row) => [...values(row), ...figures(row)])
  const total = ['total', ...dimensions.slice(1).map(() => ''), ...figures(totals)]
  const table = aligned([[...(dimensions.length === 0 ? [''] : dimensions), ...names], ...shown, total])
  return [...table, ...(hasMore ? ['There is more: raise --limit.'] : []), ...warnings]
}

function figureText(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : String(Math.round(value * 10_000) / 10_000)
}

export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
