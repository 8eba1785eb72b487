import { escapeHtml } from '../../platform/mail/mail-layout.ts'
import { axisLabels, axisTop, frame, gridLines, round } from './chart-frame.ts'
import { numberText } from './shown-values.ts'

type ChartPoint = { label: string; value: number; isComplete: boolean }

const { width, height, left, bottom, top } = frame

/** A line of one figure over time, without a script: a point says its value when it is pointed at. */
export function lineChart(name: string, points: readonly ChartPoint[]): string {
  if (points.length < 2) return ''
  const most = axisTop(Math.max(1, ...points.map(({ value }) => value)))
  const x = (index: number) => round(left + (index / (points.length - 1)) * (width - left))
  const y = (value: number) => round(top + (1 - value / most) * (height - top - bottom))
  const place = ({ value }: ChartPoint, index: number) => `${x(index)},${y(value)}`
  const places = points.map(place)
  const unfinished = points.findIndex(({ isComplete }, index) => !isComplete && index > 0)
  const solid = unfinished === -1 ? places : places.slice(0, unfinished)
  const dashed = unfinished === -1 ? [] : places.slice(unfinished - 1)
  const zero = y(0)
  const summary = escapeHtml(summaryOf(name, points))
  return `<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${summary}">
${gridLines(most, y)}
<polygon class="area" points="${x(0)},${zero} ${places.join(' ')} ${x(points.length - 1)},${zero}"/>
<polyline class="line" points="${solid.join(' ')}"/>
${dashed.length === 0 ? '' : `<polyline class="line open" points="${dashed.join(' ')}"/>`}
${axisLabels(
  points.map(({ label }) => label),
  x,
)}
${points.map((point, index) => hoverArea(point, x(index), y(point.value), points.length)).join('\n')}
</svg>`
}

/** For those who hear the page. */
function summaryOf(name: string, points: readonly ChartPoint[]): string {
  const values = points.map(({ value }) => value)
  const range = `${numberText(Math.min(...values))} to ${numberText(Math.max(...values))}`
  return `${name}, ${points[0]?.label} to ${points.at(-1)?.label}: ${range}`
}

/** A band around the point, which is easier to hit than a line. */
function hoverArea({ label, value, isComplete }: ChartPoint, x: number, y: number, count: number): string {
  const band = (width - left) / (count - 1)
  const text = `${label}: ${numberText(value)}${isComplete ? '' : ', not complete yet'}`
  return `<g class="point"><circle cx="${x}" cy="${y}" r="4"/>
<rect x="${round(x - band / 2)}" y="0" width="${round(band)}" height="${height}">
<title>${escapeHtml(text)}</title></rect></g>`
}
