import { useMemo } from 'react'
import { useRead } from '../api/reads.ts'
import type { ChartMark } from '../kit/chart.tsx'
import { usePeriod } from '../shell/range.ts'
import { text } from '../text.ts'

/** One page of the list: more marks than that hide the line. */
const marksMax = 200

/** Annotations and releases of the period of the page, to draw on its charts. */
export function useChartMarks(): readonly ChartMark[] {
  const query = { ...usePeriod(), limit: marksMax }
  const annotations = useRead('listAnnotations', { query }).data?.data
  return useMemo(
    () =>
      (annotations ?? []).map(({ kind, at, text: words }) => ({
        kind: kind === 'release' ? 'release' : 'annotation',
        start: at,
        words: kind === 'release' ? text.chart.release(words) : words,
      })),
    [annotations],
  )
}
