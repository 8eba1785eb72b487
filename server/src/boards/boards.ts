import {
  type Board,
  boardLimits,
  type createBoard,
  type Input,
  invalidParameter,
  Problem,
  type Tile,
  type updateBoard,
} from '@assay/contract'
import { type Clock, isId, type NewId } from '../platform/clock.ts'
import { readName } from '../platform/text/name.ts'
import { readQuestionOf, requireSoundNarrowing, requireSoundView } from '../reports/questions.ts'
import { requireReport } from '../reports/reports.ts'
import type { RequireSite } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import { readReadyId, readyBoard } from './ready-boards.ts'
import { type BoardRow, deleteBoardRow, insertBoard, selectBoard, updateBoardRow } from './store.ts'

export type BoardWorld = { control: Control; now: Clock; newId: NewId; requireSite: RequireSite }

type NewBoard = Input<typeof createBoard>['body'] & { owner: string }

export async function addBoard(world: BoardWorld, workspaceId: string, wanted: NewBoard): Promise<Board> {
  const { control, now, newId } = world
  const { siteId, name, description = '', narrowing = {}, tiles = [], owner } = wanted
  await requireSoundTiles(world, workspaceId, siteId, tiles)
  requireSoundNarrowing(narrowing, now)
  const at = new Date(now())
  const row: BoardRow = {
    workspace_id: workspaceId,
    id: newId('brd'),
    site_id: siteId,
    name: readName(name),
    description,
    narrowing,
    tiles,
    owner,
    created_at: at,
    updated_at: at,
  }
  const { boardsMax } = boardLimits
  if (await control.transaction((sql) => insertBoard(sql, row, boardsMax))) return toBoard(row)
  throw new Problem('conflict', { detail: `A site has ${boardsMax} boards at most. Delete one first.` })
}

export async function changeBoard(
  world: BoardWorld,
  workspaceId: string,
  id: string,
  change: Input<typeof updateBoard>['body'],
): Promise<Board> {
  const { control, now } = world
  const row = await requireOwnBoard(world, workspaceId, id)
  if (change.tiles !== undefined) await requireSoundTiles(world, workspaceId, row.site_id, change.tiles)
  if (change.narrowing !== undefined) requireSoundNarrowing(change.narrowing, now)
  const changed: BoardRow = {
    ...row,
    name: change.name === undefined ? row.name : readName(change.name),
    description: change.description ?? row.description,
    narrowing: change.narrowing ?? row.narrowing,
    tiles: change.tiles ?? row.tiles,
    updated_at: new Date(now()),
  }
  if (!(await updateBoardRow(control, changed))) throw noBoard()
  return toBoard(changed)
}

export async function removeBoard(world: BoardWorld, workspaceId: string, id: string): Promise<void> {
  const row = await requireOwnBoard(world, workspaceId, id)
  if (!(await deleteBoardRow(world.control, workspaceId, row.id))) throw noBoard()
}

export async function duplicate(
  world: BoardWorld,
  workspaceId: string,
  { siteId, description, narrowing, tiles, ...board }: Board,
  { name, owner }: { name: string | undefined; owner: string },
): Promise<Board> {
  // A name of the greatest length cannot get longer.
  const copyName = `${board.name} (copy)`.slice(0, boardLimits.nameCharactersMax).toWellFormed()
  return addBoard(world, workspaceId, {
    siteId,
    description,
    narrowing,
    tiles: await foundTiles(world, workspaceId, tiles),
    name: name ?? copyName,
    owner,
  })
}

/** A tile whose report was deleted is not copied: it would be refused. */
async function foundTiles(
  { control }: BoardWorld,
  workspaceId: string,
  tiles: readonly Tile[],
): Promise<Tile[]> {
  const found: Tile[] = []
  for (const tile of tiles) {
    if (tile.type !== 'report' || (await isReport(control, workspaceId, tile.reportId))) found.push(tile)
  }
  return found
}

async function isReport(control: Control, workspaceId: string, id: string): Promise<boolean> {
  try {
    await requireReport(control, workspaceId, id)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

/** Also one that comes with the product, by its name and site. */
export async function requireBoard(
  { control, requireSite }: Pick<BoardWorld, 'control' | 'requireSite'>,
  workspaceId: string,
  id: string,
): Promise<Board> {
  const ready = readReadyId(id)
  if (ready !== null) {
    await requireSite(workspaceId, ready.siteId)
    return readyBoard(ready.name, ready.siteId) ?? raiseNone()
  }
  const row = isId('brd', id) ? await selectBoard(control, workspaceId, id) : null
  return row === null ? raiseNone() : toBoard(row)
}

async function requireOwnBoard(world: BoardWorld, workspaceId: string, id: string): Promise<BoardRow> {
  const row = isId('brd', id) ? await selectBoard(world.control, workspaceId, id) : null
  if (row !== null) return row
  const { isReady } = await requireBoard(world, workspaceId, id)
  if (!isReady) throw noBoard()
  throw new Problem('conflict', { detail: 'A ready board cannot be changed. Duplicate it first.' })
}

export function noBoard(): Problem {
  return new Problem('not-found', { detail: 'There is no such board.' })
}

function raiseNone(): never {
  throw noBoard()
}

async function requireSoundTiles(
  { control, now }: Pick<BoardWorld, 'control' | 'now'>,
  workspaceId: string,
  siteId: string,
  tiles: readonly Tile[],
): Promise<void> {
  requireSoundPlaces(tiles)
  for (const [index, tile] of tiles.entries()) {
    if (tile.type === 'question') {
      readQuestionOf(tile.kind, tile.question, now)
      requireSoundView(tile.kind, tile.view, `tiles[${index}].view`)
    }
    if (tile.type !== 'report') continue
    const report = await requireReport(control, workspaceId, tile.reportId)
    if (report.site_id !== siteId) {
      throw invalidParameter(`tiles[${index}].reportId`, 'must be a report of the site of the board')
    }
  }
}

export function requireSoundPlaces(tiles: readonly Tile[]): void {
  const ids = new Set<string>()
  for (const [index, { id, x, width }] of tiles.entries()) {
    if (ids.has(id)) throw invalidParameter(`tiles[${index}].id`, 'must be unique on the board')
    ids.add(id)
    if (x + width > boardLimits.columns) {
      throw invalidParameter(`tiles[${index}].width`, `reaches beyond the ${boardLimits.columns} columns`)
    }
  }
}

export function toBoard(row: BoardRow): Board {
  return {
    id: row.id,
    siteId: row.site_id,
    name: row.name,
    description: row.description,
    narrowing: row.narrowing,
    tiles: [...row.tiles],
    isReady: false,
    owner: row.owner,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
