import {
  type Board,
  createBoard,
  deleteBoard,
  duplicateBoard,
  getBoard,
  getTileResult,
  listBoards,
  updateBoard,
} from '@assay/contract'
import { actorIdOf, type Principal } from '../http/access/principal.ts'
import { type Plane, serve } from '../http/serve.ts'
import { pageDefault, pageOf } from '../platform/page.ts'
import type { AnswerQuestion } from '../reports/results.ts'
import {
  addBoard,
  type BoardWorld,
  changeBoard,
  duplicate,
  noBoard,
  removeBoard,
  requireBoard,
  toBoard,
} from './boards.ts'
import { readyBoard, readyNames } from './ready-boards.ts'
import { selectBoards } from './store.ts'
import { answerTile } from './tile-results.ts'

type Needs = BoardWorld & { answerQuestion: AnswerQuestion }

/** A key that is bound to a site knows no board of another. A ready one is in no table that would say whose it is. */
async function requireVisible(deps: Needs, caller: Principal, id: string): Promise<Board> {
  const board = await requireBoard(deps, caller.workspaceId, id)
  const isElsewhere = caller.kind === 'key' && caller.siteId !== null && caller.siteId !== board.siteId
  if (isElsewhere) throw noBoard()
  return board
}

export function boardRoutes(plane: Plane, deps: Needs): void {
  const { control, requireSite } = deps

  serve(plane, listBoards, async ({ query, caller: { workspaceId } }) => {
    const { siteId = null, cursor = '', limit = pageDefault } = query
    if (siteId !== null) await requireSite(workspaceId, siteId)
    const rows = await selectBoards(control, workspaceId, siteId, cursor, limit + 1)
    const { page, next } = pageOf(rows, limit, ({ id }) => id)
    const ready = siteId === null ? [] : readyNames.flatMap((name) => readyBoard(name, siteId) ?? [])
    return { data: page.map(toBoard), nextCursor: next, ready }
  })

  serve(plane, createBoard, async ({ body, caller }) => {
    await requireSite(caller.workspaceId, body.siteId)
    return addBoard(deps, caller.workspaceId, { ...body, owner: actorIdOf(caller) })
  })

  serve(plane, getBoard, ({ params, caller }) => requireVisible(deps, caller, params.id))

  serve(plane, updateBoard, ({ params, body, caller }) =>
    changeBoard(deps, caller.workspaceId, params.id, body),
  )

  serve(plane, deleteBoard, async ({ params, caller }) => {
    await removeBoard(deps, caller.workspaceId, params.id)
    return undefined
  })

  serve(plane, duplicateBoard, async ({ params, body, caller, notes }) => {
    const original = await requireVisible(deps, caller, params.id)
    const copy = { name: body.name, owner: actorIdOf(caller) }
    const board = await duplicate(deps, caller.workspaceId, original, copy)
    notes.objectId = board.id
    return board
  })

  serve(plane, getTileResult, async ({ params, query, caller, read, request, reply }) => {
    const board = await requireVisible(deps, caller, params.id)
    return answerTile(deps, caller.workspaceId, board, params.tile, [query], { read, request, reply })
  })
}
