import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { periodQuery } from '../reads.ts'
import { route } from '../route.ts'
import { exact, OneOf, Page, paging, Time } from '../shapes.ts'
import { Tile } from './boards.ts'
import { Narrowing, ReportResult } from './reports.ts'

export const shareLimits = {
  /** Of a site. */
  sharesMax: 200,
  passwordCharactersMin: 8,
  passwordCharactersMax: 200,
  originsMax: 20,
  /** What fewer visitors have in common is left out of what is shared: it could be about one person. */
  visitorsMin: 5,
} as const

const shareTypes = ['board', 'report', 'overview'] as const
export const shareThemes = ['system', 'light', 'dark'] as const

/** Kinds of questions whose answers are sums. Errors are left out: their texts may be about one person. */
export const sharedKinds = ['query', 'overview', 'funnel', 'retention', 'flow', 'journeys'] as const
export type SharedKind = (typeof sharedKinds)[number]

const origins = Type.Array(Type.String({ maxLength: 300 }), {
  maxItems: shareLimits.originsMax,
  description: 'Sites that may show it in a frame, such as https://example.com; none unless said',
})
const narrowing = { ...Narrowing, description: 'Period and filters that no one who has the address can undo' }

/** A secret address that shows a board, a report or the overview to anyone who has it. */
export const Share = Type.Object({
  id: Type.String(),
  siteId: Type.String(),
  type: OneOf(shareTypes),
  targetId: Type.Union([Type.String(), Type.Null()], {
    description: 'The board or report; null for the overview',
  }),
  narrowing,
  hasPassword: Type.Boolean(),
  expiresAt: Type.Union([Time, Type.Null()]),
  origins,
  theme: OneOf(shareThemes),
  owner: Type.String(),
  createdAt: Time,
})
export type Share = Static<typeof Share>

const NewShare = Type.Object({
  ...Share.properties,
  token: Type.String({ description: 'Shown once; only a hash is stored' }),
  url: Type.String({ description: 'The page, with the token in it' }),
})

const base = { plane: 'control', tag: 'Shares' } as const
const reads = { ...base, access: 'read', scope: 'analytics:read', rate: 'apiRead' } as const
const writes = { ...base, access: 'write', scope: 'analytics:write', rate: 'apiWrite' } as const
const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })
const siteId = Type.String({ maxLength: 64 })
const password = Type.Union(
  [
    Type.String({
      minLength: shareLimits.passwordCharactersMin,
      maxLength: shareLimits.passwordCharactersMax,
    }),
    Type.Null(),
  ],
  { description: 'Asked for before anything is shown. Null: none' },
)
const expiresAt = Type.Union([Type.String({ maxLength: 40 }), Type.Null()], {
  description: 'RFC 3339, in the future. Null: never',
})
const changeable = { narrowing, password, expiresAt, origins, theme: OneOf(shareThemes) }

export const listShares = route({
  ...reads,
  id: 'listShares',
  method: 'GET',
  path: '/api/v1/shares',
  summary: 'List share links, without their secrets',
  query: Type.Object({ ...paging, siteId: Type.Optional(siteId) }, exact),
  success: { status: 200, body: Page(Share) },
  problems: lookupProblems,
})

export const createShare = route({
  ...writes,
  id: 'createShare',
  method: 'POST',
  path: '/api/v1/shares',
  summary: 'Share a board, a report or the overview with anyone who has the address',
  body: Type.Object(
    {
      siteId,
      type: OneOf(shareTypes),
      targetId: Type.Optional(
        Type.Union([Type.String({ maxLength: 100 }), Type.Null()], {
          description: 'A board or report of the site',
        }),
      ),
      ...Type.Partial(Type.Object(changeable)).properties,
    },
    exact,
  ),
  success: { status: 201, body: NewShare },
  audit: { action: 'share.created', details: ['siteId', 'type', 'targetId'] },
  problems: [...lookupProblems, 'conflict'],
})

export const getShare = route({
  ...reads,
  id: 'getShare',
  method: 'GET',
  path: '/api/v1/shares/:id',
  summary: 'Get a share link, without its secret',
  params: byId,
  success: { status: 200, body: Share },
  problems: lookupProblems,
})

export const updateShare = route({
  ...writes,
  id: 'updateShare',
  method: 'PATCH',
  path: '/api/v1/shares/:id',
  summary: 'Change password, expiry, filters or frames of a share link',
  description: 'Holds from the next request on. The address stays.',
  params: byId,
  body: Type.Partial(Type.Object(changeable), { ...exact, minProperties: 1 }),
  success: { status: 200, body: Share },
  audit: { action: 'share.updated', details: ['siteId', 'type', 'targetId'] },
  problems: lookupProblems,
})

export const revokeShare = route({
  ...writes,
  id: 'revokeShare',
  method: 'DELETE',
  path: '/api/v1/shares/:id',
  summary: 'Revoke a share link, from the next request on',
  params: byId,
  success: { status: 204, body: null },
  audit: { action: 'share.revoked' },
  problems: lookupProblems,
})

const open = { ...base, access: 'open', rate: 'open' } as const
const token = Type.String({ maxLength: 100, description: 'The secret of the address' })
const passwordSays =
  'If it has a password: HTTP Basic authentication with any user name. Unknown, revoked and expired addresses answer ' +
  'the same 404.'

/** What is shared, without who made it. */
export const SharedView = Type.Object({
  type: OneOf(shareTypes),
  name: Type.String(),
  description: Type.String(),
  siteName: Type.String(),
  theme: OneOf(shareThemes),
  narrowing: Type.Object(periodQuery, { ...exact, description: 'The period, where it is fixed' }),
  tiles: Type.Array(Tile, {
    description: 'Places, titles and texts; the question of a tile is left out, and a tile of errors too',
  }),
})
export type SharedView = Static<typeof SharedView>

export const getShared = route({
  ...open,
  id: 'getShared',
  method: 'GET',
  path: '/api/shared/:token',
  summary: 'What a share link shows',
  description: passwordSays,
  params: Type.Object({ token }),
  success: { status: 200, body: SharedView },
  problems: ['unauthenticated', 'not-found'],
})

export const getSharedResult = route({
  ...open,
  id: 'getSharedResult',
  method: 'GET',
  path: '/api/shared/:token/tiles/:tile/result',
  summary: 'The answer of a shared tile',
  description:
    `${passwordSays} The period can be chosen unless the link fixes it. Rows of fewer than ` +
    `${shareLimits.visitorsMin} visitors are left out.`,
  params: Type.Object({ token, tile: Type.String({ maxLength: 40 }) }),
  query: Type.Object(periodQuery, exact),
  success: {
    status: 200,
    body: Type.Object({
      ...Type.Omit(ReportResult, ['question', 'siteId']).properties,
      dataUntil: Time,
    }),
  },
  problems: ['unauthenticated', 'not-found'],
})

export const shareRoutes = [
  listShares,
  createShare,
  getShare,
  updateShare,
  revokeShare,
  getShared,
  getSharedResult,
] as const
