import { useMemo } from 'react'
import { useRead } from '../../api/reads.ts'
import type { ChartMark } from '../../kit/chart.tsx'
import { usePeriod } from '../../shell/range.ts'

const marksMax = 100

/** Annotations and releases of the period, to be drawn where they fell. */
export function useMarks(): readonly ChartMark[] {
  const period = usePeriod()
  const annotations = useRead('listAnnotations', { query: { ...period, limit: marksMax } }).data?.data
  return useMemo(
    () =>
      (annotations ?? []).map(({ kind, at, text }) => ({
        kind: kind === 'release' ? 'release' : 'annotation',
        start: at,
        words: text,
      })),
    [annotations],
  )
}
