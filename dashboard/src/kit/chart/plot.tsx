import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { text } from '../../text.ts'
import { useTheme } from '../theme.ts'
import type { ChartContent } from './chart-data.ts'
import { type PlotLook, readLook } from './plot-look.ts'
import { plotData, plotOptions } from './plot-options.ts'
import { spokenTip, Tip } from './tip.tsx'

type At = { index: number; left: number; top: number }
type PlotProps = {
  content: ChartContent
  /** Of all series, also hidden ones: a colour stays with its series. */
  ids: readonly string[]
  height: number
}

/** The drawing, with a tooltip next to the pointer or at the point that was reached by keys. */
export function Plot({ content, ids, height }: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot | null>(null)
  const [look, setLook] = useState<PlotLook | null>(null)
  const [at, setAt] = useState<At | null>(null)
  const [said, setSaid] = useState('')
  const theme = useTheme()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that are read from the page
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const read = readLook(element, ids)
    setLook(read)
    const plot = draw(element, content, read, height, setAt)
    drawn.current = plot
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    resize.observe(element)
    return () => {
      resize.disconnect()
      plot.destroy()
      drawn.current = null
      setAt(null)
    }
  }, [content, ids, height, theme])
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextIndex(event.key, at?.index ?? null, content.points.length)
    if (next === undefined) return
    event.preventDefault()
    if (drawn.current !== null) moveTo(drawn.current, next)
    setSaid(next === null ? '' : spokenTip(content, next))
  }
  return (
    <div className="plot-frame">
      <div
        ref={place}
        className="plot"
        style={{ height }}
        role="application"
        aria-roledescription={text.chart.role}
        aria-label={text.chart.described(content.title, content.points.length)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the points are reached by arrow keys
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => {
          if (drawn.current !== null) moveTo(drawn.current, null)
        }}
      />
      {at !== null && look !== null && (
        <TipBox at={at} frame={place}>
          <Tip content={content} index={at.index} colourOf={look.colourOf} />
        </TipBox>
      )}
      <p className="hidden" aria-live="polite">
        {said}
      </p>
    </div>
  )
}

function draw(
  element: HTMLElement,
  content: ChartContent,
  look: PlotLook,
  height: number,
  onPoint: (at: At | null) => void,
): uPlot {
  const options = plotOptions(content, look, { width: element.clientWidth, height })
  const onCursor = (plot: uPlot) => {
    const { idx, left = -1, top = -1 } = plot.cursor
    const isOn = idx !== null && idx !== undefined && left >= 0
    const offset = plot.bbox.left / devicePixelRatio
    const seconds = isOn ? plot.data[0][idx] : undefined
    // Next to the point itself, at the height of the pointer.
    onPoint(
      isOn && seconds !== undefined
        ? { index: idx, left: offset + plot.valToPos(seconds, 'x'), top: Math.max(0, top) }
        : null,
    )
  }
  return new uPlot(
    { ...options, hooks: { ...options.hooks, setCursor: [onCursor] } },
    plotData(content, look),
    element,
  )
}

function moveTo(plot: uPlot, index: number | null): void {
  const seconds = index === null ? undefined : plot.data[0][index]
  if (seconds === undefined) plot.setCursor({ left: -10, top: -10 })
  else plot.setCursor({ left: Math.max(0, plot.valToPos(seconds, 'x')), top: 8 })
}

/** Undefined for a key that is not ours; null for the one that leaves. */
function nextIndex(key: string, index: number | null, count: number): number | null | undefined {
  const last = count - 1
  if (count === 0) return undefined
  if (key === 'ArrowRight') return index === null ? 0 : Math.min(last, index + 1)
  if (key === 'ArrowLeft') return index === null ? last : Math.max(0, index - 1)
  if (key === 'Home') return 0
  if (key === 'End') return last
  return key === 'Escape' && index !== null ? null : undefined
}

type TipBoxProps = { at: At; frame: RefObject<HTMLDivElement | null>; children: ReactNode }

/** Right of the point, or left of it in the right half. */
function TipBox({ at, frame, children }: TipBoxProps) {
  const width = frame.current?.clientWidth ?? 0
  const isRight = at.left > width / 2
  const gap = 14
  return (
    <div
      className="chart-tip"
      aria-hidden="true"
      style={isRight ? { right: width - at.left + gap, top: at.top } : { left: at.left + gap, top: at.top }}
    >
      {children}
    </div>
  )
}
