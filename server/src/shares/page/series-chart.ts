import { escapeHtml } from '../../platform/mail/mail-layout.ts'
import { axisLabels, axisTop, frame, gridLines, round } from './chart-frame.ts'
import { numberText } from './shown-values.ts'

type Series = { group: string; values: readonly number[] }
/** A figure at some times, for each group. */
export type SeriesOfTimes = { name: string; labels: readonly string[]; series: readonly Series[] }
type Layout = 'lines' | 'bars' | 'stacked'

/** As many as a reader can distinguish; the others are in the table below. */
export const seriesMax = 6

const { width, height, left, bottom, top } = frame

export const largestFirst = (series: readonly Series[]): Series[] =>
  series.toSorted((one, other) => sum(other.values) - sum(one.values)).slice(0, seriesMax)

/** Lines, bars or areas of several groups, without a script: a time says its values when it is pointed at. */
export function seriesChart({ name, labels, series }: SeriesOfTimes, layout: Layout): string {
  if (labels.length < 2 || series.length === 0) return ''
  const isStacked = layout !== 'lines'
  const tops = isStacked ? stackedTops(series) : series.map(({ values }) => values)
  const most = axisTop(Math.max(1, ...tops.flat()))
  const step = (width - left) / (layout === 'bars' ? labels.length : labels.length - 1)
  const x = (index: number) => round(left + index * step + (layout === 'bars' ? step / 2 : 0))
  const y = (value: number) => round(top + (1 - value / most) * (height - top - bottom))
  const draw = { lines: lineOf, bars: barsOf, stacked: areaOf }[layout]
  const drawn = tops.map((own, index) => draw({ own, below: tops[index - 1], index, x, y, step }))
  const summary = `${name}, ${labels[0]} to ${labels.at(-1)}: ${series.map(({ group }) => group).join(', ')}`
  return `<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(summary)}">
${gridLines(most, y)}
${drawn.join('\n')}
${axisLabels(labels, x)}
${labels.map((label, index) => hoverBand(label, series, index, x(index), step)).join('\n')}
</svg>
${legend(series)}`
}

type Drawing = {
  own: readonly number[]
  /** Of the group below it. */
  below: readonly number[] | undefined
  index: number
  x: (index: number) => number
  y: (value: number) => number
  step: number
}

/** Each group on top of those before it. */
function stackedTops(series: readonly Series[]): number[][] {
  const tops: number[][] = []
  for (const { values } of series) {
    const below = tops.at(-1)
    tops.push(values.map((value, index) => value + (below?.[index] ?? 0)))
  }
  return tops
}

function lineOf({ own, index, x, y }: Drawing): string {
  const places = own.map((value, at) => `${x(at)},${y(value)}`)
  return `<polyline class="line s${index}" points="${places.join(' ')}"/>`
}

function areaOf({ own, below, index, x, y }: Drawing): string {
  const upper = own.map((value, at) => `${x(at)},${y(value)}`)
  const lower = own.map((_, at) => `${x(at)},${y(below?.[at] ?? 0)}`).toReversed()
  return `<polygon class="fill s${index}" points="${[...upper, ...lower].join(' ')}"/>`
}

function barsOf({ own, below, index, x, y, step }: Drawing): string {
  const wide = round(step * 0.7)
  return own
    .map((value, at) => {
      const [high, low] = [y(value), y(below?.[at] ?? 0)]
      const start = round(x(at) - wide / 2)
      const size = `width="${wide}" height="${round(low - high)}"`
      return `<rect class="fill s${index}" x="${start}" y="${high}" ${size}/>`
    })
    .join('')
}

function hoverBand(label: string, series: readonly Series[], index: number, x: number, step: number): string {
  const values = series.map(({ group, values }) => `${group}: ${numberText(values[index] ?? 0)}`)
  return `<g class="point"><rect x="${round(x - step / 2)}" y="0" width="${round(step)}" height="${height}">
<title>${escapeHtml([label, ...values].join('\n'))}</title></rect></g>`
}

/** One group needs none: the title says what it is. */
function legend(series: readonly Series[]): string {
  if (series.length < 2) return ''
  const items = series.map(
    ({ group }, index) =>
      `<li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="fill s${index}" width="10" height="10"/></svg>${escapeHtml(group)}</li>`,
  )
  return `<ul class="legend">${items.join('')}</ul>`
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
