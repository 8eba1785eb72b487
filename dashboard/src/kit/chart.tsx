import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { text } from '../text.ts'
import { Button } from './button.tsx'
import { Table } from './table.tsx'
import { useTheme } from './theme.ts'

type ChartPoint = {
  start: string
  /** Null where there is no such figure. */
  value: number | null
  /** False while its time still runs; drawn as a broken line. */
  isComplete?: boolean
  /** What would be usual then; drawn as a broken line, where it is known. */
  usual?: number | null
}
/** A time that stands out, and in words why. */
type ChartMark = { start: string; end: string | null; words: string }
type ChartProps = {
  title: string
  points: readonly ChartPoint[]
  format: (value: number) => string
  /** How a point in time is written below the line. */
  formatStart: (start: string) => string
  marks?: readonly ChartMark[]
}

const noMarks: readonly ChartMark[] = []
const height = 260

/** A line over time. The same numbers are available as a table, for accessibility. */
export function Chart({ title, points, format, formatStart, marks = noMarks }: ChartProps) {
  const [isTable, setTable] = useState(false)
  const hasUsual = points.some(({ usual }) => typeof usual === 'number')
  return (
    <figure className="chart stack" style={{ margin: 0 }}>
      <figcaption className="row between">
        <h2>{title}</h2>
        <Button isCompact look="ghost" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {text.chart.asTable}
        </Button>
      </figcaption>
      {isTable ? (
        <Table
          caption={title}
          isMatrix
          columns={[
            { title: text.chart.time, cell: ({ start }) => formatStart(start) },
            { title, cell: (point) => valueText(point, format), kind: 'number' },
            ...(hasUsual
              ? [{ title: text.chart.usual, cell: usualText(format), kind: 'number' as const }]
              : []),
            ...(marks.length > 0
              ? [{ title: text.chart.marks, cell: ({ start }: ChartPoint) => wordsAt(marks, start) }]
              : []),
          ]}
          rows={points}
          keyOf={({ start }) => start}
        />
      ) : (
        <Plot {...{ title, points, format, formatStart, marks }} />
      )}
    </figure>
  )
}

const usualText =
  (format: (value: number) => string) =>
  ({ usual }: ChartPoint) =>
    typeof usual === 'number' ? format(usual) : text.nothing

function valueText({ value, isComplete }: ChartPoint, format: (value: number) => string): string {
  if (value === null) return text.nothing
  return isComplete === false ? `${format(value)} (${text.series.unfinished})` : format(value)
}

/** A mark starts at its first point, and continues while it has no end. */
function wordsAt(marks: readonly ChartMark[], start: string): string {
  const atMs = Date.parse(start)
  const there = marks.filter(
    (mark) => Date.parse(mark.start) <= atMs && (mark.end === null || atMs < Date.parse(mark.end)),
  )
  return there.map(({ words }) => words).join('; ')
}

function Plot({ title, points, format, formatStart, marks = noMarks }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<number | null>(null)
  const theme = useTheme()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that are read from the page
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const options = optionsFor(element, { title, points, format, formatStart, marks }, setAt)
    const plot = new uPlot(options, dataOf(points), element)
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    resize.observe(element)
    return () => {
      resize.disconnect()
      plot.destroy()
    }
  }, [points, format, formatStart, marks, theme])
  const point = at === null ? undefined : points[at]
  return (
    <>
      <div ref={place} className="plot" role="img" aria-label={text.chart.described(title, points.length)} />
      <p className="chart-tip">
        {point === undefined ? text.chart.hover : tipOf(point, format, formatStart, marks)}
      </p>
    </>
  )
}

function tipOf(
  point: ChartPoint,
  format: (value: number) => string,
  formatStart: (start: string) => string,
  marks: readonly ChartMark[],
): string {
  const usual = typeof point.usual === 'number' ? `, ${text.chart.usually(format(point.usual))}` : ''
  const words = wordsAt(marks, point.start)
  return `${formatStart(point.start)}: ${valueText(point, format)}${usual}${words === '' ? '' : ` · ${words}`}`
}

function dataOf(points: readonly ChartPoint[]): uPlot.AlignedData {
  return [
    points.map(({ start }) => new Date(start).getTime() / 1_000),
    points.map(({ value, isComplete }) => (isComplete === false ? null : value)),
    points.map(({ usual }) => usual ?? null),
    points.map((point, place) => (touchesUnfinished(points, place) ? point.value : null)),
  ]
}

/** An unfinished point, or one next to it: the broken line begins at the last whole one. */
function touchesUnfinished(points: readonly ChartPoint[], place: number): boolean {
  return [place - 1, place, place + 1].some((at) => points[at]?.isComplete === false)
}

function optionsFor(
  element: HTMLElement,
  { points, format, formatStart, marks = noMarks }: ChartProps,
  onPoint: (index: number | null) => void,
): uPlot.Options {
  const colour = (name: string) => getComputedStyle(element).getPropertyValue(name).trim()
  const [ink, line, series] = [colour('--ink-soft'), colour('--line'), colour('--series')]
  const axis = {
    stroke: ink,
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    font: '12px system-ui',
  }
  const label = (seconds: number) => formatStart(new Date(seconds * 1_000).toISOString())
  return {
    width: element.clientWidth,
    height,
    cursor: { y: false, points: { size: 8 } },
    legend: { show: false },
    scales: { x: { time: true }, y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] } },
    axes: [
      { ...axis, grid: { show: false }, values: (_plot, splits) => splits.map(label), space: 110, size: 32 },
      { ...axis, values: (_plot, splits) => splits.map(format), size: 70 },
    ],
    series: [
      {},
      {
        stroke: series,
        width: 2,
        fill: `${series}22`,
        points: { show: points.length <= 40, size: 5, fill: series },
      },
      { stroke: colour('--series-before'), width: 1.5, dash: [6, 4], points: { show: false } },
      { stroke: `${series}99`, width: 2, dash: [4, 4], points: { show: false } },
    ],
    hooks: {
      setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)],
      drawClear: [(plot) => drawMarks(plot, marks, colour('--reject'))],
    },
  }
}

/** So wide at least that an hour among many days is seen. */
const markPixelsMin = 3

function drawMarks(plot: uPlot, marks: readonly ChartMark[], stroke: string): void {
  const { ctx, bbox } = plot
  const right = bbox.left + bbox.width
  const at = (time: string) => plot.valToPos(Date.parse(time) / 1_000, 'x', true)
  ctx.save()
  for (const { start, end } of marks) {
    const from = Math.max(bbox.left, at(start))
    const until = Math.min(right, end === null ? right : at(end))
    if (from >= right || until < bbox.left) continue
    ctx.fillStyle = `${stroke}33`
    ctx.fillRect(from, bbox.top, Math.max(markPixelsMin, until - from), bbox.height)
    ctx.fillStyle = stroke
    ctx.fillRect(from, bbox.top, Math.max(markPixelsMin, until - from), markPixelsMin)
  }
  ctx.restore()
}
