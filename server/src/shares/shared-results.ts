import { invalidParameter, type Narrowing, Problem, type ReportView, type SharedKind } from '@assay/contract'
import type { ReportCache } from '../analytics/cache/report-cache.ts'
import { tileQuestion } from '../boards/tile-results.ts'
import type { Freshness } from '../http/fresh-read.ts'
import type { Limits } from '../http/limits/limits.ts'
import type { AnswerQuestion } from '../reports/results.ts'
import { withoutFew } from './few-visitors.ts'
import { withVisitors } from './shared-query.ts'
import { isShareable, type SharedBoard, type ViewNeeds } from './shared-view.ts'
import type { ShareRow } from './store.ts'

export type SharedNeeds = ViewNeeds & {
  answerQuestion: AnswerQuestion
  kept: ReportCache
  freshness: Pick<Freshness, 'of'>
}

export type SharedPeriod = Pick<Narrowing, 'from' | 'to' | 'window' | 'timezone'>
export type SharedResult = { kind: SharedKind; view: ReportView | null; result: object; dataUntil: string }

/**
 * The answer of a tile. The filters of the link come last, so that nothing before them can undo them. Anyone may ask
 * again and again: the period that the link opens with is cached, and other periods are charged to the link.
 */
export async function answerShared(
  needs: SharedNeeds,
  row: ShareRow,
  board: SharedBoard,
  tileId: string,
  period: SharedPeriod,
  limits: Limits,
): Promise<SharedResult> {
  const workspaceId = row.workspace_id
  const wanted = await tileQuestion(needs.control, workspaceId, board, tileId)
  const { kind } = wanted
  const layers = [board.narrowing, period, row.narrowing]
  if (!isShareable(kind, wanted.question, ...layers)) {
    throw new Problem('not-found', { detail: 'There is no such tile.' })
  }
  requireFreePeriod(row, period)
  const answer = async () => {
    let untilMs = needs.freshness.of(workspaceId).dataUntilMs
    const read = {
      isAwaited: false,
      dataUntilMs: () => needs.freshness.of(workspaceId).dataUntilMs,
      reachesUntil: (ms: number) => {
        untilMs = Math.min(untilMs, ms)
      },
    }
    const question = kind === 'query' ? withVisitors(wanted.question) : wanted.question
    const { result } = await needs.answerQuestion(workspaceId, { ...wanted, question }, layers, { read })
    return {
      kind,
      view: wanted.view ?? null,
      result: withoutFew(kind, wanted.question, result),
      dataUntil: new Date(untilMs).toISOString(),
    }
  }
  if (Object.values(period).every((value) => value === undefined)) {
    return needs.kept.of(`${workspaceId} shared ${JSON.stringify({ wanted, layers })}`, answer)
  }
  limits.charge('apiRead', row.id)
  return answer()
}

const periodMembers = ['from', 'to', 'window'] as const

/** What the link fixes cannot be chosen, and is not silently replaced either. */
function requireFreePeriod({ narrowing }: ShareRow, period: SharedPeriod): void {
  const isFixed = periodMembers.some((name) => narrowing[name] !== undefined)
  const asked = periodMembers.find((name) => period[name] !== undefined)
  if (isFixed && asked !== undefined) throw invalidParameter(asked, 'is fixed by the link')
}
