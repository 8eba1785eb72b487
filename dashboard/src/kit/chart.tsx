import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { text } from '../text.ts'
import { Button } from './button.tsx'
import { Table } from './table.tsx'
import { useTheme } from './theme.ts'

export type ChartPoint = { start: string; value: number }
export type ChartProps = {
  title: string
  points: readonly ChartPoint[]
  format: (value: number) => string
  /** How a point in time is written below the line. */
  formatStart: (start: string) => string
}

const height = 260

/** A line over time. The same numbers are there as a table, for whoever cannot or would rather not read the line. */
export function Chart({ title, points, format, formatStart }: ChartProps) {
  const [isTable, setTable] = useState(false)
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
          columns={[
            { title: text.chart.time, cell: ({ start }) => formatStart(start) },
            { title, cell: ({ value }) => format(value), kind: 'number' },
          ]}
          rows={points}
          keyOf={({ start }) => start}
        />
      ) : (
        <Plot title={title} points={points} format={format} formatStart={formatStart} />
      )}
    </figure>
  )
}

function Plot({ title, points, format, formatStart }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<number | null>(null)
  const theme = useTheme()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that are read from the page
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const plot = new uPlot(optionsFor(element, points, format, formatStart, setAt), dataOf(points), element)
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    resize.observe(element)
    return () => {
      resize.disconnect()
      plot.destroy()
    }
  }, [points, format, formatStart, theme])
  const point = at === null ? undefined : points[at]
  return (
    <>
      <div ref={place} className="plot" role="img" aria-label={text.chart.described(title, points.length)} />
      <p className="chart-tip">
        {point === undefined ? text.chart.hover : `${formatStart(point.start)}: ${format(point.value)}`}
      </p>
    </>
  )
}

function dataOf(points: readonly ChartPoint[]): uPlot.AlignedData {
  return [points.map(({ start }) => new Date(start).getTime() / 1_000), points.map(({ value }) => value)]
}

function optionsFor(
  element: HTMLElement,
  points: readonly ChartPoint[],
  format: (value: number) => string,
  formatStart: (start: string) => string,
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
    ],
    hooks: { setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)] },
  }
}
