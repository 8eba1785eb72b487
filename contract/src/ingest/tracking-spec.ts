import { Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { BatchBody, GroupBody, PageBody } from './event-body.ts'
import { BatchResult, TrackResult } from './ingest.ts'

/**
 * Endpoints that SDKs of the tracking specification (Segment, RudderStack) call besides track, batch,
 * identify and alias. They mean the same as a batch whose items have a `type`.
 */
const endpoint = {
  method: 'POST',
  plane: 'data',
  access: 'send',
  scope: 'events:send',
  rate: 'ingest',
  tag: 'Ingest',
  rawBody: true,
  problems: [...lookupProblems, 'contract-violation'],
} as const
const one = { ...endpoint, success: { status: 202, body: TrackResult } } as const

export const page = route({
  ...one,
  id: 'page',
  path: '/v1/page',
  summary: 'A page was viewed',
  body: PageBody,
  description: 'Stored as `$pageview`. Takes `name`, `category`, `properties` and `context.page`.',
})

export const screen = route({
  ...one,
  id: 'screen',
  path: '/v1/screen',
  summary: 'A screen of an application was viewed',
  body: PageBody,
  description: 'Stored as `$pageview`, with the name of the screen as its address.',
})

export const group = route({
  ...one,
  id: 'group',
  path: '/v1/group',
  summary: 'A person belongs to a group, such as a company',
  body: GroupBody,
  description: 'Stored as `group`. Takes `group_id` and `traits`.',
})

export const importEvents = route({
  ...endpoint,
  id: 'importEvents',
  path: '/v1/import',
  // It goes as fast as the store does: see `requireRoom`.
  rate: 'none',
  summary: 'Send up to 1,000 past events in one call',
  description:
    'As `/v1/batch`, for events of any age, with a secret key. No rate limit: when too much waits to be stored, the ' +
    'answer is 503 with Retry-After.',
  body: BatchBody,
  success: { status: 200, body: BatchResult },
})

/** What Segment's browser SDK requests from its CDN before it sends anything. */
export const segmentSettings = route({
  id: 'segmentSettings',
  method: 'GET',
  path: '/v1/projects/:write_key/settings',
  plane: 'data',
  access: 'open',
  rate: 'open',
  tag: 'Ingest',
  summary: 'Settings for Segment’s browser SDK, with `cdnURL` set to this product',
  params: Type.Object({ write_key: Type.String({ maxLength: 100 }) }),
  success: { status: 200, body: Type.Object({ integrations: Type.Unknown(), plan: Type.Unknown() }) },
  problems: ['not-found'],
})

export const trackingSpecRoutes = [page, screen, group, importEvents, segmentSettings] as const

/** Browser SDKs of that specification use one letter to save bytes: the same endpoints. */
export const shortPaths: ReadonlyMap<string, string> = new Map([
  ['/v1/t', '/v1/track'],
  ['/v1/p', '/v1/page'],
  ['/v1/s', '/v1/screen'],
  ['/v1/i', '/v1/identify'],
  ['/v1/g', '/v1/group'],
  ['/v1/a', '/v1/alias'],
  ['/v1/b', '/v1/batch'],
])
