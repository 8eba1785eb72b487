import type uPlot from 'uplot'
import { type ChartMark, type ChartPoint, secondsOf } from './chart-data.ts'
import type { PlotLook } from './plot-look.ts'

/** So wide at least that an hour among many days is seen. */
const spanPixelsMin = 3
const flagPixels = 4

/** Spans as shaded areas, moments as a line with a flag: a dot for an annotation, a diamond for a release. */
export function drawMarks(plot: uPlot, marks: readonly ChartMark[], look: PlotLook): void {
  const { ctx, bbox } = plot
  const right = bbox.left + bbox.width
  ctx.save()
  for (const mark of marks) {
    const from = plot.valToPos(secondsOf(mark.start), 'x', true)
    if (mark.end === undefined) {
      if (from >= bbox.left && from <= right) drawMoment(plot, from, mark.kind, look)
      continue
    }
    const until = mark.end === null ? right : plot.valToPos(secondsOf(mark.end), 'x', true)
    if (from < right && until >= bbox.left)
      drawSpan(plot, Math.max(bbox.left, from), Math.min(right, until), look)
  }
  ctx.restore()
}

function drawSpan({ ctx, bbox }: uPlot, from: number, until: number, look: PlotLook): void {
  const width = Math.max(spanPixelsMin, until - from)
  ctx.fillStyle = look.anomaly
  ctx.globalAlpha = 0.2
  ctx.fillRect(from, bbox.top, width, bbox.height)
  ctx.globalAlpha = 1
  ctx.fillRect(from, bbox.top, width, spanPixelsMin)
}

function drawMoment({ ctx, bbox }: uPlot, at: number, kind: ChartMark['kind'], look: PlotLook): void {
  const ratio = devicePixelRatio
  const size = flagPixels * ratio
  ctx.strokeStyle = ctx.fillStyle = kind === 'anomaly' ? look.anomaly : look.mark
  ctx.lineWidth = ratio
  ctx.setLineDash([2 * ratio, 3 * ratio])
  ctx.beginPath()
  ctx.moveTo(at, bbox.top)
  ctx.lineTo(at, bbox.top + bbox.height)
  ctx.stroke()
  ctx.setLineDash([])
  ctx.beginPath()
  if (kind === 'release') {
    for (const [x, y] of [
      [0, -1],
      [1, 0],
      [0, 1],
      [-1, 0],
    ] as const)
      ctx.lineTo(at + x * size, bbox.top + y * size)
  } else {
    ctx.arc(at, bbox.top, size * 0.9, 0, 2 * Math.PI)
  }
  ctx.fill()
}

/** Pales what still runs: the areas end at the last complete point. */
export function drawUnfinished(plot: uPlot, points: readonly ChartPoint[], look: PlotLook): void {
  const first = points.findIndex(({ isComplete }, index) => isComplete === false && index > 0)
  const before = points[first - 1]
  if (before === undefined) return
  const { ctx, bbox } = plot
  const from = plot.valToPos(secondsOf(before.start), 'x', true)
  ctx.save()
  ctx.globalAlpha = 0.6
  ctx.fillStyle = look.sheet
  ctx.fillRect(from, bbox.top, bbox.left + bbox.width - from, bbox.height)
  ctx.restore()
}
