import { type Static, Type } from 'typebox'
import { Issue } from '../ingest/ingest.ts'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Dictionary, OneOf, Page, paging, Time } from '../shapes.ts'
import { outcomes } from './event-contract.ts'
import { byId, reads, writes } from './mapping-access.ts'

export const backfillStatuses = ['queued', 'running', 'done', 'failed', 'withdrawing', 'withdrawn'] as const
export type BackfillStatus = (typeof backfillStatuses)[number]

/** Events that the back-fills of one site may cover together: a million ids take about 100 MB in a read. */
export const overlaidEventsMax = 1_000_000
/** Active back-fills per site. */
export const standingBackfillsMax = 100
/** Events that a dry run validates while its caller waits; beyond them it only counts. */
export const dryRunEventsMax = 100_000

const counts = {
  matched: Type.Integer({ description: 'Stored events in the range that the rule is about' }),
  events: Type.Integer({ description: 'Those that pass the gate under the rule and are read by it' }),
  renamed: Type.Integer({ description: 'Those among them that had another name before' }),
  refused: Type.Integer({ description: 'Those that would not pass and stay as they are' }),
  codes: Dictionary(Type.Integer(), {
    description: 'Why they would not pass: events by issue',
  }),
}

const ofRule = {
  mappingId: Type.String(),
  siteId: Type.String(),
  source: Type.String(),
  target: Type.String(),
  propertyMap: Dictionary(Type.String()),
  from: Time,
  to: Time,
}

/**
 * A mapping rule applied to stored events as an overlay. It keeps a copy of the rule at the time of the
 * request.
 */
export const Backfill = Type.Object({
  id: Type.String(),
  ...ofRule,
  status: OneOf(backfillStatuses, { description: 'Reads go by it while it is done, and all at once' }),
  progress: Type.Number({ minimum: 0, maximum: 1 }),
  ...counts,
  createdAt: Time,
  finishedAt: Type.Union([Time, Type.Null()], { description: 'When it was done, failed or withdrawn' }),
})
export type Backfill = Static<typeof Backfill>

/** What a back-fill cannot reach: quarantined events of the source name, which are not stored. */
const QuarantinedOfSource = Type.Object(
  {
    events: Type.Integer(),
    names: Type.Array(Type.String(), { description: 'As they were sent; 200 at most' }),
    message: Type.Union([Type.String(), Type.Null()]),
    release: Type.Array(
      Type.Object({
        method: Type.Literal('POST'),
        path: Type.Literal('/v1/quarantine/release'),
        body: Type.Object({ filter: Type.Object({ event: Type.String(), site_id: Type.String() }) }),
      }),
      { description: 'The calls that release them: they pass the gate again, by the rule' },
    ),
  },
  {
    description: 'Events of this name in the quarantine of the site. A back-fill is about stored ones alone',
  },
)
export type QuarantinedOfSource = Static<typeof QuarantinedOfSource>

/** What a back-fill would do. */
export const BackfillPreview = Type.Object({
  dryRun: Type.Literal(true),
  ...ofRule,
  held: QuarantinedOfSource,
  judged: Type.Integer({
    description: `How many were judged: the first ${dryRunEventsMax}. The counts below are about these`,
  }),
  ...counts,
  repeatedOrders: Type.Integer({
    description: 'Purchases among them that would not count, since their order counts already',
  }),
  samples: Type.Array(
    Type.Object({
      eventId: Type.String(),
      name: Type.String({ description: 'As it is stored' }),
      outcome: OneOf(outcomes),
      amount: Type.Union([Type.Number(), Type.Null()]),
      currency: Type.String(),
      orderId: Type.String(),
      issues: Type.Array(Issue),
    }),
    { description: 'At most 20, those that would not pass first' },
  ),
})
export type BackfillPreview = Static<typeof BackfillPreview>

const moment = (description: string) => Type.String({ maxLength: 40, description })

export const startBackfill = route({
  ...writes,
  id: 'startBackfill',
  method: 'POST',
  path: '/api/event-mappings/:id/backfill',
  summary: 'Lay a rule over events that are stored already',
  description:
    'Stored events do not change: reads of the range do, once the job is done, until it is withdrawn. With dryRun ' +
    'nothing changes at all, and the answer, with status 200, says what would.',
  params: byId,
  body: Type.Object(
    {
      siteId: Type.Optional(
        Type.String({ maxLength: 64, description: 'Needed for a default rule, which every site has' }),
      ),
      from: moment('RFC 3339, or a date, which begins at midnight in the time zone of the site'),
      to: Type.Optional(moment('The same, exclusive; a date is included. Default, and latest, is now')),
      dryRun: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  success: { status: 202, body: Type.Object({ ...Backfill.properties, held: QuarantinedOfSource }) },
  otherSuccess: { status: 200, body: BackfillPreview },
  audit: { action: 'backfill.started', details: ['mappingId', 'siteId', 'target', 'from', 'to'] },
  invalidates: 'reports',
  problems: [...lookupProblems, 'conflict'],
})

export const listBackfills = route({
  ...reads,
  id: 'listBackfills',
  method: 'GET',
  path: '/api/event-mappings/backfills',
  summary: 'List the back-fills of a site, newest first',
  query: Type.Object({ ...paging, siteId: Type.String({ maxLength: 64 }) }, { additionalProperties: false }),
  success: { status: 200, body: Page(Backfill) },
  problems: lookupProblems,
})

export const getBackfill = route({
  ...reads,
  id: 'getBackfill',
  method: 'GET',
  path: '/api/event-mappings/backfills/:id',
  summary: 'State and progress of a back-fill',
  params: byId,
  success: { status: 200, body: Backfill },
  problems: lookupProblems,
})

export const withdrawBackfill = route({
  ...writes,
  id: 'withdrawBackfill',
  method: 'DELETE',
  path: '/api/event-mappings/backfills/:id',
  summary: 'Withdraw a back-fill: every read is as it was before',
  description:
    'The status is withdrawing while another node is still busy with it. A second time changes nothing.',
  params: byId,
  success: { status: 200, body: Backfill },
  audit: { action: 'backfill.withdrawn', details: ['mappingId', 'siteId', 'target', 'from', 'to'] },
  invalidates: 'reports',
  problems: lookupProblems,
})

export const backfillRoutes = [startBackfill, listBackfills, getBackfill, withdrawBackfill] as const
