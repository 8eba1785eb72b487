import type uPlot from 'uplot'
import { type ChartContent, stepMs } from './chart-data.ts'
import type { PlotLook } from './plot-look.ts'

/** Share of an interval that its bars fill. */
const filledShare = 0.72
const barPixelsMax = 44

/** The bars of an interval side by side; those of an unfinished one are outlined. */
export function drawBars(plot: uPlot, content: ChartContent, look: PlotLook): void {
  const { ctx, data } = plot
  const ratio = devicePixelRatio
  const group = groupPixels(plot, content) * filledShare
  const width = Math.max(1, Math.min(group / Math.max(1, content.series.length), barPixelsMax * ratio))
  const floor = plot.valToPos(0, 'y', true)
  ctx.save()
  content.series.forEach((one, place) => {
    ctx.fillStyle = ctx.strokeStyle = look.colourOf(one.id)
    one.values.forEach((value, index) => {
      if (value === null || value === 0) return
      const middle = plot.valToPos(data[0][index] ?? 0, 'x', true)
      const left = middle - (width * content.series.length) / 2 + place * width
      const top = plot.valToPos(value, 'y', true)
      const box = [left, Math.min(top, floor), Math.max(1, width - ratio), Math.abs(floor - top)] as const
      if (content.points[index]?.isComplete === false) outline(ctx, box, ratio)
      else ctx.fillRect(...box)
    })
  })
  ctx.restore()
}

function groupPixels(plot: uPlot, { points }: ChartContent): number {
  const first = plot.data[0][0] ?? 0
  return Math.abs(plot.valToPos(first + stepMs(points) / 1_000, 'x', true) - plot.valToPos(first, 'x', true))
}

type Box = readonly [left: number, top: number, width: number, height: number]

function outline(ctx: CanvasRenderingContext2D, [left, top, width, height]: Box, ratio: number): void {
  ctx.save()
  ctx.globalAlpha = 0.25
  ctx.fillRect(left, top, width, height)
  ctx.globalAlpha = 1
  ctx.setLineDash([3 * ratio, 3 * ratio])
  ctx.lineWidth = ratio
  ctx.strokeRect(left + ratio / 2, top + ratio / 2, Math.max(0, width - ratio), Math.max(0, height - ratio))
  ctx.restore()
}
