import { type ReactNode, useMemo, useRef, useState } from 'react'
import { text } from '../text.ts'
import { Button } from './button.tsx'
import {
  type ChartContent,
  type ChartLook,
  type ChartMark,
  type ChartPoint,
  type ChartSeries,
  colourName,
  hasPrevious,
  previousLinesMax,
} from './chart/chart-data.ts'
import { ChartTable } from './chart/chart-table.tsx'
import { chartTable, saveCsv } from './chart/csv.ts'
import { DownloadMenu } from './chart/download-menu.tsx'
import { Legend, previousId } from './chart/legend.tsx'
import { savePicture } from './chart/picture.ts'
import { Plot } from './chart/plot.tsx'
import { useIsPhone } from './use-media.ts'
import '../style/chart.css'

export type { ChartLook, ChartMark, ChartPoint, ChartSeries } from './chart/chart-data.ts'

type ChartProps = {
  title: string
  points: readonly ChartPoint[]
  series: readonly ChartSeries[]
  look?: ChartLook
  format: (value: number) => string
  formatStart: (start: string) => string
  /** In the tooltip; as below the axis unless given. */
  describeStart?: (start: string) => string
  marks?: readonly ChartMark[]
  previousName?: string
  /** On a wide screen; a phone shows 220 pixels at most. */
  height?: number
  /** Controls next to the title. */
  acts?: ReactNode
  /** Where a heading above it says the same: screen readers would hear it twice. */
  isTitleHidden?: boolean
}

const noMarks: readonly ChartMark[] = []
const canHavePrevious = (series: readonly ChartSeries[], look: ChartLook) =>
  look === 'lines' && series.length <= previousLinesMax && hasPrevious(series)

/** Whether names stand above a chart. */
export const hasLegend = (series: readonly ChartSeries[], look: ChartLook): boolean =>
  series.length > 1 || canHavePrevious(series, look)

const heightUsual = 280
const heightPhone = 220

/** Figures over time. Everything it shows is there as a table, by keys, as CSV and as a picture too. */
export function Chart({
  title,
  series,
  acts,
  height = heightUsual,
  isTitleHidden = false,
  ...rest
}: ChartProps) {
  const [isTable, setTable] = useState(false)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const figure = useRef<HTMLElement>(null)
  const isPhone = useIsPhone()
  const { points, format, formatStart, describeStart = formatStart, marks = noMarks, look = 'lines' } = rest
  const previousName = rest.previousName ?? text.chart.previous
  const isPreviousDrawable = canHavePrevious(series, look)
  const isPreviousDrawn = isPreviousDrawable && !hidden.has(previousId)
  const content = useMemo<ChartContent>(() => {
    const times = { formatStart, describeStart }
    return { title, points, series, look, format, ...times, marks, previousName, isPreviousDrawn }
  }, [title, points, series, look, format, formatStart, describeStart, marks, previousName, isPreviousDrawn])
  const seen = useMemo(
    () => ({ ...content, series: series.filter(({ id }) => !hidden.has(id)) }),
    [content, series, hidden],
  )
  const ids = useMemo(() => series.map(({ id }) => id), [series])
  const toggle = (id: string) =>
    setHidden(new Set(hidden.has(id) ? [...hidden].filter((one) => one !== id) : [...hidden, id]))
  const picture = () => {
    if (figure.current !== null) void savePicture(figure.current, seen, ids)
  }
  return (
    <figure className="chart" ref={figure} aria-label={title}>
      <figcaption className="row between">
        {!isTitleHidden && <h2>{title}</h2>}
        {acts}
        <div className="row chart-acts">
          <Button isCompact look="ghost" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {text.chart.asTable}
          </Button>
          <DownloadMenu title={title} onCsv={() => saveCsv(title, chartTable(content))} onPicture={picture} />
        </div>
      </figcaption>
      {isTable ? (
        <ChartTable content={content} />
      ) : (
        <>
          <Legend
            series={series}
            colourName={colourName}
            previousName={isPreviousDrawable ? previousName : null}
            hidden={hidden}
            onToggle={toggle}
          />
          <Plot content={seen} ids={ids} height={isPhone ? Math.min(height, heightPhone) : height} />
        </>
      )}
    </figure>
  )
}
