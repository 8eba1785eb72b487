import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What must hold of a figure. `ratio` compares with the bare limit, `value` looks at the figure alone. */
export type Target = {
  readonly of: 'ratio' | 'value'
  readonly least?: number
  readonly most?: number
}

export type Figure = {
  readonly work: string
  readonly value: number
  readonly unit: string
  /** The bare limit that was measured in the same run. */
  readonly bare?: number
  readonly target?: Target
  readonly note?: string
}

type Verdict = 'met' | 'missed' | 'no target'

export function ratioOf({ value, bare }: Figure): number | null {
  return bare === undefined || bare === 0 ? null : value / bare
}

export function verdictOf(figure: Figure): Verdict {
  const { target } = figure
  if (target === undefined) return 'no target'
  const measured = target.of === 'ratio' ? ratioOf(figure) : figure.value
  // What could not be measured is not met.
  if (measured === null || Number.isNaN(measured)) return 'missed'
  const isEnough = target.least === undefined || measured >= target.least
  return isEnough && (target.most === undefined || measured <= target.most) ? 'met' : 'missed'
}

/** Three significant digits for small numbers, whole ones with separators for large. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return Number(value.toPrecision(3)).toString()
}

/** Of events: 2,000, 200 k, 1 M. */
export function formatCount(count: number): string {
  if (count >= 1e6) return `${formatNumber(count / 1e6)} M`
  return count >= 1e4 ? `${formatNumber(count / 1e3)} k` : formatNumber(count)
}

function formatTarget(target: Target | undefined, unit: string): string {
  if (target === undefined) return ''
  const suffix = target.of === 'ratio' ? '×' : ` ${unit}`
  const bound = target.least === undefined ? target.most : target.least
  return `${target.least === undefined ? '≤' : '≥'} ${formatNumber(bound ?? Number.NaN)}${suffix}`
}

const headings = ['work', 'measured', 'bare limit', 'ratio', 'target', '']

export function formatTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const ratio = ratioOf(figure)
    return [
      figure.note === undefined ? figure.work : `${figure.work} (${figure.note})`,
      `${formatNumber(figure.value)} ${figure.unit}`,
      figure.bare === undefined ? '' : `${formatNumber(figure.bare)} ${figure.unit}`,
      ratio === null ? '' : `${formatNumber(ratio)}×`,
      formatTarget(figure.target, figure.unit),
      verdictOf(figure) === 'no target' ? '' : verdictOf(figure),
    ]
  })
  return formatRows(headings, rows)
}

/** In columns; the second to the fourth hold numbers, which end below each other. */
export function formatRows(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return column >= 1 && column <= 3 ? cell.padStart(width) : cell.padEnd(width)
      })
      .join('  ')
      .trimEnd()
  const rule = widths.map((width) => '─'.repeat(width)).join('  ')
  return [line(columns), rule, ...rows.map(line)].join('\n')
}

type Report = {
  readonly startedAt: string
  readonly machine: Readonly<Record<string, string | number>>
  readonly figures: readonly Figure[]
  readonly profiles: Readonly<Record<string, readonly string[]>>
  /** With the figures of another commit, measured in the same run. */
  readonly compared?: readonly object[]
}

/** Writes the report next to earlier ones and returns its path. */
export function writeReport(folder: string, report: Report): string {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${report.startedAt.replaceAll(':', '-').slice(0, 19)}.json`)
  const figures = report.figures.map((figure) => ({
    ...figure,
    ratio: ratioOf(figure),
    verdict: verdictOf(figure),
  }))
  writeFileSync(file, `${JSON.stringify({ ...report, figures }, null, 2)}\n`)
  return file
}
