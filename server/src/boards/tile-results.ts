import { type Board, Problem, type ReportResult } from '@assay/contract'
import type { Asking } from '../analytics/cache/large-reads.ts'
import type { Layer } from '../reports/questions.ts'
import { requireReport } from '../reports/reports.ts'
import type { AnswerQuestion, ReportQuery } from '../reports/results.ts'
import type { Control } from '../store/control.ts'

type TileNeeds = { control: Control; answerQuestion: AnswerQuestion }

/** Answers a tile with the period and filters of its board, and then those of the layers. */
export async function answerTile(
  needs: TileNeeds,
  workspaceId: string,
  board: Board,
  tileId: string,
  layers: readonly Layer[],
  asking: Asking,
): Promise<ReportResult> {
  const wanted = await tileQuestion(needs.control, workspaceId, board, tileId)
  return needs.answerQuestion(workspaceId, wanted, [board.narrowing, ...layers], asking)
}

/** What a tile asks; a text asks nothing. */
export async function tileQuestion(
  control: Control,
  workspaceId: string,
  { siteId, tiles }: Pick<Board, 'siteId' | 'tiles'>,
  tileId: string,
): Promise<ReportQuery> {
  const tile = tiles.find(({ id }) => id === tileId)
  if (tile === undefined) throw new Problem('not-found', { detail: 'There is no such tile.' })
  if (tile.type === 'question') {
    const { kind, question, view = null } = tile
    return { siteId, kind, question, view }
  }
  if (tile.type === 'text') throw new Problem('not-found', { detail: 'A text has no result.' })
  const report = await requireReport(control, workspaceId, tile.reportId)
  const { site_id, kind, question, view } = report
  return { siteId: site_id, kind, question, view }
}
