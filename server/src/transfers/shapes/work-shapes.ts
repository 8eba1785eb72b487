import {
  attributionLimits,
  Dictionary,
  deliveryStatuses,
  identifierCharactersMax,
  milestoneKeys,
  replayLimits,
  webhookProviders,
} from '@assay/contract'
import { Type } from 'typebox'
import { funnelId } from '../../analytics/funnels/metrics.ts'
import { dayMs } from '../../platform/units.ts'
import { chunkBytesMax, readChunk } from '../../replays/chunk.ts'
import type { TextRow } from '../control-store.ts'
import { readJson, shaped } from '../import/json-check.ts'
import {
  bytes,
  day,
  eventTime,
  flag,
  id,
  matching,
  named,
  nullable,
  oneOf,
  orEmpty,
  personId,
  plain,
  real,
  text,
  time,
  whole,
  workspace,
} from '../import/value-checks.ts'
import { int4 } from './setting-shapes.ts'
import { type Flaw, type TableShape, textList } from './table-shape.ts'

const site = named('sites')
const count = whole()
const run = nullable(id('run'))
/** Names of generations have the workspace in them that took them over, each time they moved. */
const generation = matching(/^gen_[0-9a-z]{26}(?:_ws_[0-9a-z]{26}){0,20}$/, 'an id such as gen_…')
/** Jobs and orders of one workspace that wait: those of all workspaces are taken up in one line. */
const openMax = 1_000
const recordingId = matching(/^[A-Za-z0-9._-]{8,100}$/, 'an id of a recorder')
/** A body of a vendor, which is one request at most. */
const payloadCharactersMax = 4 * 1024 * 1024

const PropertyMap = Dictionary(Type.String({ maxLength: 200 }), {
  maxProperties: 255,
})
const Finite = Type.Number({ minimum: -1e15, maximum: 1e15 })
const Time = Type.Number({ minimum: 0, maximum: 1e14 })
const Amounts = Dictionary(Finite)
const counted = { conversions: Finite, nulls: Finite, channels: Finite }
const Fit = Type.Union([
  Type.Object({ ...counted, method: Type.Literal('markov'), baseRate: Finite, removalEffects: Amounts }),
  Type.Object({ ...counted, method: Type.Literal('counterfactual'), rates: Amounts }),
  Type.Object({ ...counted, method: Type.Literal('shapley') }),
  Type.Object({
    ...counted,
    method: Type.Literal('fallback'),
    wanted: Type.Unsafe({ enum: ['markov', 'shapley', 'counterfactual'] }),
    reason: Type.Literal('too_few_outcomes'),
  }),
])
const Words = Type.Optional(Type.String({ maxLength: 1_000 }))
const Memory = Type.Object(
  {
    plan: Words,
    planAsOf: Type.Optional(Finite),
    price: Type.Optional(Type.Object({ amount: Type.Number(), currency: Type.String({ maxLength: 20 }) })),
    interval: Words,
    isTrial: Type.Optional(Type.Boolean()),
    startedAt: Type.Optional(Finite),
    who: Type.Optional(Type.Object({ userId: Words, vendorId: Words, email: Words })),
    refunded: Type.Optional(Type.Number()),
    subscriptionId: Words,
  },
  { additionalProperties: false },
)
const Cause = Dictionary(Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()]))

/** Automatic work of the product, and its results. */
export const workShapes: Readonly<Record<string, TableShape>> = {
  mapping_backfills: {
    names: { as: 'backfills', columns: ['id'] },
    open: { values: ['queued', 'running', 'withdrawing', 'dry_run'], rowsMax: openMax },
    columns: {
      id: id('bfl'),
      workspace_id: workspace,
      site_id: site,
      mapping_id: plain(100, 1),
      source: text(200, 1),
      target: text(200, 1),
      property_map: shaped(PropertyMap),
      from_at: eventTime,
      to_at: eventTime,
      status: oneOf(['queued', 'running', 'done', 'failed', 'withdrawing', 'withdrawn', 'dry_run']),
      sent_names: shaped(Type.Array(Type.String({ maxLength: 32_768 }), { maxItems: 10_000 }), {
        isAnyCharacter: true,
      }),
      matched: count,
      judged: count,
      events: count,
      renamed: count,
      refused: count,
      codes: shaped(Dictionary(Finite)),
      cursor_ms: whole(0, 1e14),
      cursor_id: text(identifierCharactersMax),
      tries: int4,
      created_at: time,
      finished_at: nullable(time),
    },
  },
  site_overlays: {
    names: { as: 'generations', columns: ['generation', 'previous', 'next'] },
    columns: {
      site_id: site,
      workspace_id: workspace,
      generation: orEmpty(generation),
      previous: orEmpty(generation),
      next: orEmpty(generation),
      from_at: nullable(eventTime),
      to_at: nullable(eventTime),
      has_orders: flag,
      settled_at: nullable(time),
    },
  },
  webhook_deliveries: {
    open: { values: ['waiting'], rowsMax: openMax },
    columns: {
      id: id('whd'),
      workspace_id: workspace,
      connection_id: id('con'),
      site_id: site,
      provider: oneOf(webhookProviders),
      vendor_id: nullable(text(500)),
      body_hash: bytes(32, 32),
      item: int4,
      type: text(500),
      status: oneOf(deliveryStatuses),
      reason: nullable(plain(200)),
      event_ids: textList(text(identifierCharactersMax), 1_000),
      repeats: int4,
      occurred_at: nullable(time),
      received_at: time,
      due_at: nullable(time),
      waits_for: nullable(text(600)),
      payload: nullable(
        shaped(Type.Object({}), { charactersMax: payloadCharactersMax, isAnyCharacter: true }),
      ),
    },
  },
  webhook_memory: {
    columns: {
      connection_id: named('connections'),
      key: text(600, 1),
      memory: shaped(Memory),
      updated_at: time,
    },
  },
  funnels: {
    columns: {
      id: matching(/^fun_[0-9a-f]{20}$/, 'an id such as fun_…'),
      workspace_id: workspace,
      site_id: site,
      steps: shaped(Type.Array(Type.String({ maxLength: 4_096 }), { maxItems: 100 })),
      found_name: text(10_000),
      own_name: text(200),
      status: oneOf(['discovered', 'pinned', 'muted']),
      first_seen: time,
      last_seen: time,
    },
    row: funnelFlaw,
  },
  error_states: {
    columns: {
      workspace_id: workspace,
      site_id: site,
      group_id: matching(/^err_[0-9a-f]{16}$/, 'an id such as err_…'),
      state: oneOf(['open', 'resolved', 'muted']),
      changed_at: time,
    },
  },
  site_milestones: {
    columns: {
      workspace_id: workspace,
      site_id: site,
      counted_at: eventTime,
      data_until: nullable(eventTime),
      totals: shaped(Type.Object(Object.fromEntries(milestoneKeys.map((key) => [key, Finite])))),
      reached: shaped(
        Type.Array(
          Type.Object({ key: Type.Unsafe({ enum: [...milestoneKeys] }), threshold: Finite, reachedMs: Time }),
          { maxItems: 1_000 },
        ),
      ),
    },
  },
  replays: {
    names: { as: 'replays', columns: ['id'] },
    columns: {
      workspace_id: workspace,
      id: recordingId,
      site_id: site,
      session_id: text(identifierCharactersMax, 1),
      anonymous_id: text(identifierCharactersMax, 1),
      user_id: nullable(text(identifierCharactersMax, 1)),
      original_ids: textList(personId, 2 * replayLimits.chunksMax),
      started_at: time,
      ended_at: time,
      created_at: time,
      chunks: whole(0, replayLimits.chunksMax),
      events: whole(0, replayLimits.chunksMax * replayLimits.chunkEventsMax),
      bytes: whole(0, replayLimits.bytesMax),
    },
  },
  replay_chunks: {
    columns: {
      workspace_id: workspace,
      replay_id: named('replays'),
      id: recordingId,
      first_ms: whole(0, 1e14),
      events: bytes(chunkBytesMax, 1),
    },
    row: chunkFlaw,
  },
  attribution_states: {
    rowsMax: 1,
    columns: {
      workspace_id: workspace,
      people_seq: count,
      fit: nullable(shaped(Fit)),
      fit_policy_version: nullable(int4),
      fitted_at: nullable(time),
      fitted_from: text(1_000_000),
    },
  },
  attribution_days: {
    columns: {
      workspace_id: workspace,
      day,
      inputs: text(10_000),
      touch_run: run,
      outcome_run: run,
      policy_version: nullable(int4),
      outcomes: int4,
      is_outdated: flag,
      touches_until: nullable(eventTime),
      outcomes_until: nullable(eventTime),
    },
  },
  attribution_jobs: {
    open: { values: ['queued', 'running'], rowsMax: openMax },
    columns: {
      id: id('job'),
      workspace_id: workspace,
      from_day: day,
      to_day: day,
      status: oneOf(['queued', 'running', 'done', 'failed']),
      progress: real(1_000),
      policy_version: nullable(int4),
      days_computed: int4,
      days_unchanged: int4,
      outcomes: int4,
      tries: int4,
      detail: nullable(text(2_000)),
      created_at: time,
      finished_at: nullable(time),
    },
    row: jobFlaw,
  },
  health_watches: { rowsMax: 1, columns: { workspace_id: workspace, watched_until: eventTime } },
  health_anomalies: {
    columns: {
      id: id('anm'),
      workspace_id: workspace,
      type: oneOf(['volume', 'schema', 'latency']),
      site_id: site,
      event_name: text(identifierCharactersMax),
      issue: text(1_000),
      started_at: eventTime,
      ended_at: nullable(eventTime),
      observed: real(1e308),
      expected: real(1e308),
      score: real(1e308),
      severity: oneOf(['warning', 'critical']),
      cause: shaped(Cause),
      cause_group: text(2_000),
      is_alert: flag,
      status: oneOf(['open', 'acknowledged', 'muted', 'closed']),
      muted_until: nullable(time),
      note: nullable(text(500)),
      created_at: time,
      updated_at: time,
    },
  },
  health_quarantine_episodes: {
    columns: {
      workspace_id: workspace,
      site_id: site,
      event_name: text(identifierCharactersMax),
      since: eventTime,
      last_over_at: eventTime,
    },
  },
}

/** Its id follows from its site and steps: one that says otherwise would stand in the way of another site's. */
function funnelFlaw({ id: ownId, site_id, steps }: TextRow): Flaw | null {
  const read = readJson(steps)
  const isOwn =
    'parsed' in read && Array.isArray(read.parsed) && funnelId(String(site_id), read.parsed) === ownId
  return isOwn ? null : { column: 'id', reason: 'must be the id that follows from the site and the steps' }
}

/** A computation goes through its days one by one, while those of other workspaces wait. */
function jobFlaw({ from_day, to_day }: TextRow): Flaw | null {
  const days = (Date.parse(String(to_day)) - Date.parse(String(from_day))) / dayMs + 1
  const isSound = days >= 1 && days <= attributionLimits.rangeDaysMax
  return isSound
    ? null
    : { column: 'to_day', reason: `must be within ${attributionLimits.rangeDaysMax} days` }
}

/** As a recorder would have to hand it in: a bomb, or anything that is no list of events, is refused. */
async function chunkFlaw({ events }: TextRow): Promise<Flaw | null> {
  const read = await readChunk(Buffer.from(String(events).slice(2), 'hex'))
  const isSound =
    read !== null && read.events.length <= replayLimits.chunkEventsMax && read.events.every(isRecorded)
  return isSound
    ? null
    : { column: 'events', reason: 'must be a packed list of recorded events within the limits' }
}

function isRecorded(event: unknown): boolean {
  return (
    typeof event === 'object' &&
    event !== null &&
    'timestamp' in event &&
    typeof event.timestamp === 'number' &&
    'type' in event &&
    Number.isInteger(event.type)
  )
}
