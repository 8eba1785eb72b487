import { type Goal, metricsMax } from '@assay/contract'
import { useQueries } from '@tanstack/react-query'
import { useCall } from '../../api/reads.ts'
import { usePlace } from '../../shell/place.ts'

/** What a changed goal makes old: its list, the counts, and every figure with conversions. */
export const goalReads = [
  'listGoals',
  'listDimensions',
  'runQuery',
  'getOverview',
  'getTileResult',
  'getReportResult',
] as const

const period = { window: '30d' } as const

/** How often each goal was reached in the last 30 days; a few questions for all of them. */
export function useGoalCounts(goals: readonly Goal[]): ReadonlyMap<string, number> {
  const { siteId } = usePlace()
  const { call, workspaceId } = useCall()
  const parts = Array.from({ length: Math.ceil(goals.length / metricsMax) }, (_, index) =>
    goals.slice(index * metricsMax, (index + 1) * metricsMax),
  )
  const answers = useQueries({
    queries: parts.map((part) => {
      const metrics = part.map(({ id }, index) => ({ as: `G${index}`, goal: id, math: 'count' as const }))
      const body = { siteId, ...period, metrics }
      return {
        // Not with the other questions: those are asked again when a goal is deleted, which this one still names.
        queryKey: [workspaceId, 'goalCounts', { body }, part.map(({ updatedAt }) => updatedAt)],
        queryFn: () => call('runQuery', { body }),
      }
    }),
  })
  return new Map(
    answers.flatMap(({ data }, index) =>
      data === undefined
        ? []
        : (parts[index] ?? []).map(({ id }, place) => [id, data.totals.metrics[`G${place}`] ?? 0] as const),
    ),
  )
}
