import type uPlot from 'uplot'
import {
  type ChartContent,
  type ChartSeries,
  secondsOf,
  stackedValues,
  stepMs,
  touchesUnfinished,
} from './chart-data.ts'
import { drawBars } from './plot-bars.ts'
import { faded, type PlotLook, paled } from './plot-look.ts'
import { drawMarks, drawUnfinished } from './plot-marks.ts'

type Column = { values: (number | null)[]; options: uPlot.Series }

/** Each series as lines for uPlot: the compared one below, then the complete part, then the unfinished one. */
function columnsOf(content: ChartContent, look: PlotLook): Column[] {
  if (content.look === 'bars')
    return content.series.map(({ values }) => ({ values: [...values], options: silent }))
  const isStacked = content.look === 'stacked'
  const stacked = isStacked ? stackedValues(content.series) : []
  const shown = content.series.map((one, index) => ({
    colour: look.colourOf(one.id),
    values: stacked[index] ?? [...one.values],
  }))
  const compared = content.isPreviousDrawn
    ? content.series.flatMap((one) => previousColumn(one, content, look))
    : []
  // The highest sum first, so that lower ones are painted over it.
  const lines = isStacked ? shown.toReversed() : shown
  return [...compared, ...lines.flatMap((one) => lineColumns(one, content, look.sheet))]
}

/** It has values, and what draws them is no line. */
const silent: uPlot.Series = { paths: () => null, points: { show: false } }

function previousColumn(one: ChartSeries, { series }: ChartContent, look: PlotLook): Column[] {
  if (one.previous === undefined) return []
  const stroke = series.length === 1 ? look.previous : faded(look.colourOf(one.id), 55)
  const options = { stroke, width: 1.25, dash: [5, 4], points: { show: false } }
  return [{ values: one.values.map((_, index) => one.previous?.[index] ?? null), options }]
}

function lineColumns(
  { colour, values }: { colour: string; values: (number | null)[] },
  { points, series, look }: ChartContent,
  sheet: string,
): Column[] {
  const whole = values.map((value, index) => (points[index]?.isComplete === false ? null : value))
  const open = values.map((value, index) => (touchesUnfinished(points, index) ? value : null))
  const fill = look === 'stacked' ? paled(colour, sheet, 62) : series.length === 1 ? faded(colour, 10) : ''
  const dots = { show: look === 'lines' && points.length <= 2, size: 6, fill: colour }
  const isAlone = (index: number) => whole[index] !== null && points.length > 2 && isIsland(whole, index)
  return [
    ...(look === 'stacked' ? [{ values, options: { width: 0, fill, points: { show: false } } }] : []),
    {
      values: whole,
      options: {
        stroke: colour,
        width: 2,
        ...(look === 'lines' && fill !== '' && { fill }),
        points: whole.some((_, index) => isAlone(index))
          ? { show: true, size: 6, fill: colour, filter: () => islands(whole) }
          : dots,
      },
    },
    { values: open, options: { stroke: colour, width: 2, dash: [3, 4], points: { show: false } } },
  ]
}

/** A value without neighbours makes no line; it gets a dot. */
const isIsland = (values: readonly (number | null)[], index: number): boolean =>
  (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null
const islands = (values: readonly (number | null)[]): number[] =>
  values.flatMap((value, index) => (value !== null && isIsland(values, index) ? [index] : []))

export function plotData(content: ChartContent, look: PlotLook): uPlot.AlignedData {
  const times = content.points.map(({ start }) => secondsOf(start))
  return [times, ...columnsOf(content, look).map(({ values }) => values)]
}

/** A label of a day needs so many pixels. */
const labelPixels = 96
const axisGap = 14

export function plotOptions(
  content: ChartContent,
  look: PlotLook,
  size: { width: number; height: number },
): uPlot.Options {
  const { points, format, formatStart } = content
  const starts = new Map(points.map(({ start }) => [secondsOf(start), start]))
  const axis = { stroke: look.ink, ticks: { show: false }, font: look.font }
  const half = stepMs(points) / 2_000
  const isWhole = content.series.every(({ values }) => values.every((value) => Number.isInteger(value ?? 0)))
  return {
    ...size,
    padding: [14, 12, 0, 0],
    cursor: {
      y: false,
      move: snapped,
      drag: { x: false, y: false, setScale: false },
      points: content.look === 'lines' ? { size: 8 } : { show: false },
    },
    legend: { show: false },
    scales: {
      x: {
        time: true,
        range: (_plot, low, high) =>
          content.look === 'bars' || points.length === 1 ? [low - half, high + half] : [low, high],
      },
      y: { range: (_plot, low, high) => rangeOf(low, high, isWhole) },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 30,
        splits: (plot) => spread(plot, points.length, content.look === 'bars'),
        values: (_plot, splits) => splits.map((at) => formatStart(starts.get(at) ?? '')),
      },
      {
        ...axis,
        grid: { stroke: look.line, width: 1 },
        ...(isWhole && { incrs: wholeSteps }),
        space: 44,
        values: (_plot, splits) => splits.map((value) => format(value).replace(/\.0+(?=%?$)/, '')),
        size: (plot, values) => axisGap + widest(plot, values ?? []),
      },
    ],
    series: [{}, ...columnsOf(content, look).map(({ options }) => options)],
    hooks: {
      drawClear: [(plot) => drawMarks(plot, content.marks, look)],
      draw: [
        (plot) => {
          if (content.look === 'bars') drawBars(plot, content, look)
          if (content.look === 'stacked') drawUnfinished(plot, points, look)
        },
      ],
    },
  }
}

/** The cursor stands at points, never between them. */
function snapped(plot: uPlot, left: number, top: number): [number, number] {
  const seconds = left < 0 ? undefined : plot.data[0][plot.posToIdx(left)]
  return [seconds === undefined ? left : Math.max(0, plot.valToPos(seconds, 'x')), top]
}

/** Counts have no axis of halves. */
const wholeSteps = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat()

function rangeOf(low: number | null, high: number | null, isWhole: boolean): uPlot.Range.MinMax {
  const least = Math.min(0, low ?? 0)
  const most = Math.max(least, high ?? 0)
  const top = most === least ? least + 1 : most + (most - least) * 0.08
  return [least === 0 ? 0 : least * 1.08, isWhole ? Math.max(1, top) : top]
}

/** Labels at points, never between them, and as many as there is space for. */
function spread(plot: uPlot, count: number, isBars: boolean): number[] {
  const times = plot.data[0]
  const fitting = Math.max(1, Math.floor(plot.bbox.width / devicePixelRatio / labelPixels))
  const every = Math.max(1, Math.ceil(count / fitting))
  // Half of the label of a last point would stand outside; a bar has space around it, and so has a single point.
  const end = isBars || count === 1 ? count : count - 1
  return [...times].filter((_, index) => index % every === 0 && index < end)
}

function widest(plot: uPlot, values: readonly string[]): number {
  plot.ctx.save()
  plot.ctx.font = `${12 * devicePixelRatio}px sans-serif`
  const widths = values.map((value) => plot.ctx.measureText(value).width / devicePixelRatio)
  plot.ctx.restore()
  return Math.ceil(Math.max(16, ...widths))
}
