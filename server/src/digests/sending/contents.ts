import {
  type Answer,
  type Board,
  type Narrowing,
  type Overview,
  Problem,
  type ReportKind,
  type ReportView,
} from '@assay/contract'
import { requireBoard } from '../../boards/boards.ts'
import { tileQuestion } from '../../boards/tile-results.ts'
import type { Freshness } from '../../http/fresh-read.ts'
import type { Layer, SavedQuestion } from '../../reports/questions.ts'
import { requireReport } from '../../reports/reports.ts'
import type { AnswerQuestion, ReportQuery } from '../../reports/results.ts'
import { withoutFew } from '../../shares/few-visitors.ts'
import { withVisitors } from '../../shares/shared-query.ts'
import { isSharedKind } from '../../shares/shared-view.ts'
import type { RequireSite, SiteRow } from '../../sites/sites.ts'
import type { Control } from '../../store/control.ts'
import type { DigestRow } from '../store.ts'
import { type Days, earlier } from './schedule.ts'

export type ContentNeeds = {
  control: Control
  requireSite: RequireSite
  answerQuestion: AnswerQuestion
  freshness: Freshness
}

/** A tile with its answer, with its text, or with why it has none. */
export type Part = { title: string } & (
  | { kind: ReportKind; view: ReportView | null; result: object }
  | { text: string }
)

/** What a mail says, before it is written. */
export type Contents = {
  site: Pick<SiteRow, 'id' | 'name' | 'timezone'>
  name: string
  days: Days
  parts: Part[]
}

type Target = Pick<Board, 'siteId' | 'name' | 'narrowing' | 'tiles'>

/** How long the store may take to load what happened in the last hours of the days. */
const loadMsMax = 10_000

/** Every answer is that of its route. Refuses what is gone: a site or a board. */
export async function readContents(needs: ContentNeeds, row: DigestRow, days: Days): Promise<Contents> {
  const { workspace_id: workspaceId, site_id: siteId } = row
  const site = await needs.requireSite(workspaceId, siteId)
  const target = await targetOf(needs, row)
  await needs.freshness.wait(workspaceId, loadMsMax)
  const layers = [withoutPeriod(target.narrowing), row.narrowing]
  const parts: Part[] = []
  for (const tile of inReadingOrder(target.tiles)) {
    if (tile.type === 'text') parts.push({ title: tile.title ?? '', text: tile.text })
    else parts.push(await answeredPart(needs, row, target, tile, { layers, days, timezone: site.timezone }))
  }
  return { site, name: target.name, days, parts }
}

async function targetOf(needs: ContentNeeds, row: DigestRow): Promise<Target> {
  if (row.type === 'board') return requireBoard(needs, row.workspace_id, row.target_id ?? '')
  const place = { id: 'overview', x: 0, y: 0, width: 12, height: 8 }
  const tiles: Board['tiles'] = [{ ...place, type: 'question', kind: 'overview', question: {} }]
  return { siteId: row.site_id, name: 'Overview', narrowing: {}, tiles }
}

/** The days follow from the digest, whatever the board shows on a screen. */
function withoutPeriod({ from: _f, to: _t, window: _w, timezone: _z, ...filters }: Narrowing): Narrowing {
  return filters
}

function inReadingOrder(tiles: Board['tiles']): Board['tiles'] {
  return tiles.toSorted((one, other) => one.y - other.y || one.x - other.x)
}

type ContentsQuery = { layers: readonly Layer[]; days: Days; timezone: string }
type AskingTile = Exclude<Board['tiles'][number], { type: 'text' }>

/** A tile that cannot be answered, as filters do not fit it or its report is gone, leaves the others as they are. */
async function answeredPart(
  needs: ContentNeeds,
  row: DigestRow,
  target: Target,
  tile: AskingTile,
  asked: ContentsQuery,
): Promise<Part> {
  try {
    const wanted = await tileQuestion(needs.control, row.workspace_id, target, tile.id)
    const title = tile.title ?? (await nameOf(needs.control, row.workspace_id, tile))
    const { kind, view = null } = wanted
    return { title, kind, view, result: await answerOf(needs, row, wanted, asked) }
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return { title: tile.title ?? '', text: error.options.detail }
  }
}

async function nameOf(control: Control, workspaceId: string, tile: AskingTile): Promise<string> {
  if (tile.type === 'question') return ''
  return (await requireReport(control, workspaceId, tile.reportId)).name
}

/** Weeks or months whose people are followed, the last of them included. */
const cohortsShown = 8

/** Without rows about few people. */
async function answerOf(
  { answerQuestion, freshness }: ContentNeeds,
  { workspace_id: workspaceId, frequency }: DigestRow,
  wanted: ReportQuery,
  { layers, days, timezone }: ContentsQuery,
): Promise<object> {
  const dataUntilMs = () => freshness.of(workspaceId).dataUntilMs
  // An answer that was cached before the days were over would not do.
  const read = { isAwaited: true, dataUntilMs, reachesUntil: () => {} }
  const { kind, question } = wanted
  const ask = async (asked: SavedQuestion, period: Days): Promise<object> => {
    const all = { ...wanted, question: kind === 'query' ? withVisitors(asked) : asked }
    const { result } = await answerQuestion(workspaceId, all, [...layers, { ...period, timezone }], { read })
    return isSharedKind(kind) ? withoutFew(kind, asked, result) : result
  }
  if (kind === 'retention') {
    const { from } = earlier(days, frequency, cohortsShown - 1)
    const interval = question.interval ?? (frequency === 'weekly' ? 'week' : 'month')
    return ask({ ...question, interval }, { from, to: days.to })
  }
  const result = await ask(question, days)
  if (kind !== 'overview' && kind !== 'query') return result
  // A month is compared with the whole month before, which may be shorter or longer.
  return compared(kind, result, await ask(question, earlier(days, frequency, 1)))
}

function compared(kind: 'overview' | 'query', result: object, before: object): object {
  if (kind === 'overview') {
    // boundary: the route of this kind made it; so below.
    const { period, metrics } = before as Overview
    return { ...result, previous: { period, metrics } }
  }
  // boundary: as above.
  const [now, then] = [result as Answer, before as Answer]
  return { ...now, totals: { ...now.totals, comparison: then.totals.metrics } }
}
