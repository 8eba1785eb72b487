import {
  type Board,
  namesTraits,
  Problem,
  periodQuery,
  type ReportKind,
  type SharedKind,
  type SharedView,
  sharedKinds,
  type Tile,
} from '@assay/contract'
import { requireBoard } from '../boards/boards.ts'
import { requireReport } from '../reports/reports.ts'
import type { RequireSite } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import type { ShareRow } from './store.ts'
import { noSuchLink } from './visit.ts'

export type ViewNeeds = { control: Control; requireSite: RequireSite }

/** What is shared, as a board: a report or the overview is one of a single tile. */
export type SharedBoard = Pick<Board, 'siteId' | 'name' | 'description' | 'narrowing' | 'tiles'>

const whole = { x: 0, y: 0, width: 12, height: 8 }

export function isSharedKind(kind: ReportKind): kind is SharedKind {
  return sharedKinds.some((one) => one === kind)
}

/** Answers that are sums of many people. What is asked by traits could single one of them out. */
export function isShareable(kind: ReportKind, ...asked: readonly object[]): kind is SharedKind {
  return isSharedKind(kind) && !asked.some(namesTraits)
}

/** The target may have been deleted since: then the link leads nowhere. */
export async function sharedBoard(needs: ViewNeeds, row: ShareRow): Promise<SharedBoard> {
  const { workspace_id: workspaceId, site_id: siteId, type, target_id } = row
  if (type === 'overview') {
    const tiles: Tile[] = [{ ...whole, id: 'overview', type: 'question', kind: 'overview', question: {} }]
    return { siteId, name: 'Overview', description: '', narrowing: {}, tiles }
  }
  try {
    if (type === 'board') return await requireBoard(needs, workspaceId, target_id ?? '')
    const { name, description, kind, question, view } = await requireReport(
      needs.control,
      workspaceId,
      target_id ?? '',
    )
    const shown = view === null ? {} : { view }
    const tiles: Tile[] = [{ ...whole, id: 'report', type: 'question', kind, question, ...shown }]
    return { siteId, name, description, narrowing: {}, tiles }
  } catch (error) {
    throw error instanceof Problem && error.status === 404 ? noSuchLink() : error
  }
}

/** Places, titles and texts. What a tile asks may name what its owner looks for, so it stays here. */
export async function toView(needs: ViewNeeds, row: ShareRow, board: SharedBoard): Promise<SharedView> {
  const { name: siteName } = await needs.requireSite(row.workspace_id, row.site_id)
  const tiles: Tile[] = []
  for (const tile of board.tiles) {
    const shown = await shownTile(needs, row.workspace_id, board.narrowing, tile)
    if (shown !== null) tiles.push(shown)
  }
  const { name, description } = board
  const isOfPeriod = ([member]: [string, unknown]) => Object.hasOwn(periodQuery, member)
  const period = Object.fromEntries(Object.entries(row.narrowing).filter(isOfPeriod))
  return { type: row.type, name, description, siteName, theme: row.theme, narrowing: period, tiles }
}

async function shownTile(
  { control }: ViewNeeds,
  workspaceId: string,
  narrowing: SharedBoard['narrowing'],
  tile: Tile,
): Promise<Tile | null> {
  if (tile.type === 'text') return tile
  const { id, x, y, width, height } = tile
  const found = await kindAndName(control, workspaceId, tile)
  if (found === null || !isShareable(found.kind, found.question, narrowing)) return null
  const title = tile.title ?? found.name
  return {
    id,
    x,
    y,
    width,
    height,
    ...(title !== undefined && { title }),
    type: 'question',
    kind: found.kind,
    question: {},
  }
}

async function kindAndName(
  control: Control,
  workspaceId: string,
  tile: Exclude<Tile, { type: 'text' }>,
): Promise<{ kind: ReportKind; name: string | undefined; question: object } | null> {
  if (tile.type === 'question') return { kind: tile.kind, name: undefined, question: tile.question }
  try {
    return await requireReport(control, workspaceId, tile.reportId)
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null
    throw error
  }
}
