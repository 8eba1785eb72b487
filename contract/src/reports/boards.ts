import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { exact, OneOf, Page, paging, Time } from '../shapes.ts'
import { Narrowing, NarrowingQuery, QuestionBody, ReportResult, reportKinds, View } from './reports.ts'

export const boardLimits = {
  /** Of a site. */
  boardsMax: 200,
  nameCharactersMax: 120,
  descriptionCharactersMax: 2_000,
  /** A screen or three. Each tile is a read of its own. */
  tilesMax: 30,
  textCharactersMax: 2_000,
  columns: 12,
  rowsMax: 500,
  tileRowsMax: 20,
} as const

const place = {
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,40}$', description: 'Unique on the board' }),
  x: Type.Integer({ minimum: 0, maximum: boardLimits.columns - 1, description: 'Column, from the left' }),
  y: Type.Integer({ minimum: 0, maximum: boardLimits.rowsMax, description: 'Row, from the top' }),
  width: Type.Integer({ minimum: 1, maximum: boardLimits.columns }),
  height: Type.Integer({ minimum: 1, maximum: boardLimits.tileRowsMax }),
  title: Type.Optional(Type.String({ maxLength: boardLimits.nameCharactersMax })),
}

const ReportTile = Type.Object(
  { ...place, type: Type.Literal('report'), reportId: Type.String({ maxLength: 64 }) },
  exact,
)
const QuestionTile = Type.Object(
  {
    ...place,
    type: Type.Literal('question'),
    kind: OneOf(reportKinds),
    question: QuestionBody,
    view: Type.Optional(View),
  },
  exact,
)
const TextTile = Type.Object(
  { ...place, type: Type.Literal('text'), text: Type.String({ maxLength: boardLimits.textCharactersMax }) },
  exact,
)
/** A saved report, a question of its own, or a text. */
export const Tile = Type.Union([ReportTile, QuestionTile, TextTile])
export type Tile = Static<typeof Tile>

export const Tiles = Type.Array(Tile, { maxItems: boardLimits.tilesMax })

/** Tiles of a site on a grid, with a period and filters for all of them. */
export const Board = Type.Object({
  id: Type.String(),
  siteId: Type.String(),
  name: Type.String(),
  description: Type.String(),
  narrowing: {
    ...Narrowing,
    description: 'For all tiles: the period in place of theirs, the filters besides theirs',
  },
  tiles: Tiles,
  isReady: Type.Boolean({ description: 'Comes with the product: it can be duplicated, not changed' }),
  owner: Type.Union([Type.String(), Type.Null()], {
    description: 'The member or the key that made it; null where it is ready',
  }),
  createdAt: Type.Union([Time, Type.Null()]),
  updatedAt: Type.Union([Time, Type.Null()]),
})
export type Board = Static<typeof Board>

const base = { plane: 'control', tag: 'Boards' } as const
const reads = { ...base, access: 'read', scope: 'analytics:read', rate: 'apiRead' } as const
const writes = { ...base, access: 'write', scope: 'analytics:write', rate: 'apiWrite' } as const
const id = Type.String({
  maxLength: 100,
  description: 'Of a ready one: traffic, product or revenue, a dot, the site',
})
const byId = Type.Object({ id })
const siteId = Type.String({ maxLength: 64 })
const name = Type.String({
  minLength: 1,
  maxLength: boardLimits.nameCharactersMax,
  description: 'More than spaces',
})
const description = Type.String({ maxLength: boardLimits.descriptionCharactersMax })

export const listBoards = route({
  ...reads,
  id: 'listBoards',
  method: 'GET',
  path: '/api/v1/boards',
  summary: 'List boards',
  query: Type.Object({ ...paging, siteId: Type.Optional(siteId) }, exact),
  success: {
    status: 200,
    body: Type.Object({
      ...Page(Board).properties,
      ready: Type.Array(Board, { description: 'Those that every site has; empty without siteId' }),
    }),
  },
  problems: lookupProblems,
})

export const createBoard = route({
  ...writes,
  id: 'createBoard',
  method: 'POST',
  path: '/api/v1/boards',
  summary: 'Create a board',
  body: Type.Object(
    {
      siteId,
      name,
      description: Type.Optional(description),
      narrowing: Type.Optional(Narrowing),
      tiles: Type.Optional(Tiles),
    },
    exact,
  ),
  success: { status: 201, body: Board },
  audit: { action: 'board.created', details: ['siteId'] },
  problems: [...lookupProblems, 'conflict'],
})

export const getBoard = route({
  ...reads,
  id: 'getBoard',
  method: 'GET',
  path: '/api/v1/boards/:id',
  summary: 'Get a board',
  params: byId,
  success: { status: 200, body: Board },
  problems: lookupProblems,
})

export const updateBoard = route({
  ...writes,
  id: 'updateBoard',
  method: 'PATCH',
  path: '/api/v1/boards/:id',
  summary: 'Change a board',
  params: byId,
  body: Type.Partial(Type.Object({ name, description, narrowing: Narrowing, tiles: Tiles }), {
    ...exact,
    minProperties: 1,
  }),
  success: { status: 200, body: Board },
  audit: { action: 'board.updated', details: ['siteId'] },
  problems: [...lookupProblems, 'conflict'],
})

export const deleteBoard = route({
  ...writes,
  id: 'deleteBoard',
  method: 'DELETE',
  path: '/api/v1/boards/:id',
  summary: 'Delete a board',
  params: byId,
  success: { status: 204, body: null },
  audit: { action: 'board.deleted' },
  problems: [...lookupProblems, 'conflict'],
})

export const duplicateBoard = route({
  ...writes,
  id: 'duplicateBoard',
  method: 'POST',
  path: '/api/v1/boards/:id/duplicate',
  summary: 'Duplicate a board, also a ready one',
  params: byId,
  body: Type.Object({ name: Type.Optional(name) }, exact),
  success: { status: 201, body: Board },
  audit: { action: 'board.duplicated', details: ['siteId'] },
  problems: [...lookupProblems, 'conflict'],
})

export const getTileResult = route({
  ...reads,
  id: 'getTileResult',
  fresh: 'camel',
  method: 'GET',
  path: '/api/v1/boards/:id/tiles/:tile/result',
  summary: 'Answer the question of a tile',
  description:
    'With the period of the request, or else of the board, or else its own; and with the filters of all three.',
  params: Type.Object({ id, tile: Type.String({ maxLength: 40 }) }),
  query: NarrowingQuery,
  success: { status: 200, body: ReportResult },
  problems: lookupProblems,
})

export const boardRoutes = [
  listBoards,
  createBoard,
  getBoard,
  updateBoard,
  deleteBoard,
  duplicateBoard,
  getTileResult,
] as const
