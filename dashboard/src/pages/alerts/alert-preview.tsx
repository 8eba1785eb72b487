import type { AlertPreview } from '@assay/contract'
import { useMemo } from 'react'
import type { Reading } from '../../api/reads.ts'
import { formatFigure, intervalFormats } from '../../format.ts'
import { Card } from '../../kit/card.tsx'
import { Chart, type ChartMark } from '../../kit/chart.tsx'
import { Shown } from '../../kit/states.tsx'
import { text } from '../../text.ts'
import '../../style/boards.css'

type PreviewProps = { reading: Reading<AlertPreview> | null }

/** How the alert would have judged the past. */
export function PreviewCard({ reading }: PreviewProps) {
  const words = text.alerts
  return (
    <Card title={words.preview}>
      <div className="preview-place">
        {reading === null ? (
          <p className="soft">{words.incomplete}</p>
        ) : (
          <Shown of={reading} lines={8}>
            {(preview) => <PreviewChart preview={preview} />}
          </Shown>
        )}
      </div>
    </Card>
  )
}

function PreviewChart({ preview }: { preview: AlertPreview }) {
  const { points, interval, timezone, unit, currency, firings } = preview
  const words = text.alerts
  const starts = useMemo(() => points.map(({ start }) => ({ start })), [points])
  const series = useMemo(() => {
    const words = text.alerts
    const lines = [
      { id: 'value', name: words.valueLine, values: points.map(({ value }) => value) },
      { id: 'high', name: words.high, values: points.map(({ high }) => high) },
      { id: 'low', name: words.low, values: points.map(({ low }) => low) },
    ]
    return lines.filter(({ id, values }) => id === 'value' || values.some((value) => value !== null))
  }, [points])
  const marks = useMemo(() => firingMarks(points), [points])
  const format = useMemo(() => (value: number) => formatFigure(unit, value, currency), [unit, currency])
  const times = useMemo(() => intervalFormats(interval, timezone), [interval, timezone])
  return (
    <div className="stack tight">
      <p role="status">
        <strong>{words.would(firings, words.spans[interval])}</strong>
      </p>
      <Chart
        title={words.preview}
        isTitleHidden
        points={starts}
        series={series}
        marks={marks}
        format={format}
        height={240}
        {...times}
      />
    </div>
  )
}

/** Intervals that fire one after another are one span. */
function firingMarks(points: AlertPreview['points']): readonly ChartMark[] {
  const marks: ChartMark[] = []
  points.forEach(({ start, state }, index) => {
    const isOpening = state === 'firing' && points[index - 1]?.state !== 'firing'
    if (!isOpening) return
    const after = points.findIndex((other, at) => at > index && other.state !== 'firing')
    const end = after === -1 ? null : (points[after]?.start ?? null)
    marks.push({ kind: 'anomaly', start, end, words: text.alerts.fired })
  })
  return marks
}
