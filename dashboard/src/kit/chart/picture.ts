import uPlot from 'uplot'
import type { ChartContent } from './chart-data.ts'
import { fileName, saveFile } from './csv.ts'
import { readLook } from './plot-look.ts'
import { plotData, plotOptions } from './plot-options.ts'

/** Large enough for a slide, on every screen that it is taken from. */
const size = { width: 1_200, height: 440 }
const margin = 28
const headHeight = { plain: 64, legend: 92 }

/** The chart with its title and legend, in the colours of the page. */
export async function savePicture(
  element: HTMLElement,
  content: ChartContent,
  ids: readonly string[],
): Promise<void> {
  const look = readLook(element, ids)
  const options = plotOptions(content, look, size)
  const plot = new uPlot(options, plotData(content, look), document.createElement('div'))
  // uPlot draws in a microtask of its own.
  await new Promise((resolve) => requestAnimationFrame(resolve))
  const head = content.series.length > 1 ? headHeight.legend : headHeight.plain
  const ratio = devicePixelRatio
  const canvas = document.createElement('canvas')
  canvas.width = (size.width + 2 * margin) * ratio
  canvas.height = (size.height + head + margin) * ratio
  const ctx = canvas.getContext('2d')
  if (ctx === null) return
  ctx.fillStyle = look.sheet
  ctx.fillRect(0, 0, canvas.width, canvas.height)
  ctx.drawImage(plot.ctx.canvas, margin * ratio, head * ratio)
  plot.destroy()
  ctx.scale(ratio, ratio)
  drawHead(ctx, element, content, look.colourOf)
  const file = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (file !== null) saveFile(`${fileName(content.title)}.png`, file)
}

function drawHead(
  ctx: CanvasRenderingContext2D,
  element: HTMLElement,
  { title, series, points, describeStart }: ChartContent,
  colourOf: (id: string) => string,
): void {
  const style = getComputedStyle(element)
  ctx.fillStyle = style.getPropertyValue('--ink').trim()
  ctx.font = `600 22px ${style.fontFamily}`
  ctx.fillText(title, margin, 40, size.width)
  ctx.font = `14px ${style.fontFamily}`
  const soft = style.getPropertyValue('--ink-soft').trim()
  const [first, last] = [points[0], points.at(-1)]
  const span =
    first === undefined || last === undefined
      ? ''
      : `${describeStart(first.start)} – ${describeStart(last.start)}`
  ctx.fillStyle = soft
  const spanWidth = ctx.measureText(span).width
  ctx.fillText(span, margin + size.width - spanWidth, 40)
  if (series.length < 2) return
  let left = margin
  for (const { id, name } of series) {
    const width = ctx.measureText(name).width
    if (left + width + 20 > margin + size.width) break
    ctx.fillStyle = colourOf(id)
    ctx.fillRect(left, 60, 12, 12)
    ctx.fillStyle = soft
    ctx.fillText(name, left + 18, 71)
    left += width + 42
  }
}
