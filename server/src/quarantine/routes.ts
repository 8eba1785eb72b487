import {
  countQuarantined,
  discardQuarantined,
  getQuarantined,
  ingestLimits,
  listQuarantined,
  Problem,
  type QuarantineFilter,
  releaseQuarantined,
} from '@assay/contract'
import { actorIdOf } from '../http/access/principal.ts'
import { type Plane, serve } from '../http/serve.ts'
import type { Revalidated } from '../ingest/row/quarantined-event.ts'
import { pageDefault } from '../platform/page.ts'
import type { Platform } from '../platform/platform.ts'
import type { Decisions, Selection } from './decisions.ts'
import {
  countsOf,
  eventIdOf,
  findQuarantined,
  idPrefix,
  listQuarantinedEvents,
  toQuarantinedEvent,
  toQuery,
} from './quarantine.ts'

type Needs = Pick<Platform, 'events' | 'now'> & { quarantine: Decisions }

/** Ids travel in the address of a statement, which holds a megabyte: 200 ids of 200 characters take less than half. */
const idsPerQuery = 200

export function quarantineRoutes(plane: Plane, { events, quarantine, now }: Needs): void {
  serve(plane, listQuarantined, ({ query: { limit, cursor, ...wanted }, caller }) =>
    listQuarantinedEvents(events, toQuery(caller.workspaceId, wanted, now()), cursor, limit ?? pageDefault),
  )

  serve(plane, countQuarantined, ({ query, caller }) =>
    countsOf(events, toQuery(caller.workspaceId, query, now())),
  )

  serve(plane, getQuarantined, async ({ params, caller }) => {
    const eventId = eventIdOf(params.id)
    const found = eventId === null ? null : await findQuarantined(events, caller.workspaceId, eventId, now())
    if (found === null) throw new Problem('not-found', { detail: 'There is no such quarantined event.' })
    const { event } = found.held
    return {
      ...toQuarantinedEvent(found),
      sent: {
        event: event.name,
        ts: event.tsClient === undefined ? null : new Date(event.tsClient).toISOString(),
        anonymous_id: event.anonymousId ?? null,
        user_id: event.userId ?? null,
        person_id: event.personId ?? null,
        properties: event.properties,
        context: event.context,
      },
      patch: found.decision === null || found.decision.patch === '' ? null : JSON.parse(found.decision.patch),
    }
  })

  serve(plane, releaseQuarantined, async ({ body, caller }) => {
    const selection = readSelection(caller.workspaceId, body, now())
    requireSmall(body.patch)
    const dryRun = body.dry_run ?? false
    const done = await quarantine.release(selection, {
      patch: body.patch,
      dryRun,
      actorId: actorIdOf(caller),
    })
    return {
      dry_run: dryRun,
      matched: done.matched,
      released: done.released,
      still_held: done.stillQuarantined,
      results: done.results.map(toReleaseResult),
    }
  })

  serve(plane, discardQuarantined, async ({ body, caller }) => {
    const selection = readSelection(caller.workspaceId, body, now())
    const dryRun = body.dry_run ?? false
    const discarded = await quarantine.discard(selection, { dryRun, actorId: actorIdOf(caller) })
    return { dry_run: dryRun, matched: discarded, discarded }
  })
}

/** It is stored with every event that it fixes, and none of them may be larger. */
function requireSmall(patch: object | undefined): void {
  const { eventBytesMax } = ingestLimits
  if (patch === undefined || Buffer.byteLength(JSON.stringify(patch)) <= eventBytesMax) return
  throw new Problem('payload-too-large', {
    detail: `patch may take ${eventBytesMax} bytes, as an event may.`,
  })
}

function toReleaseResult({ judged: { eventId, verdict } }: Revalidated) {
  return {
    id: idPrefix + eventId,
    event_id: eventId,
    outcome: verdict.outcome,
    issues: [...verdict.issues],
  }
}

/** Events that come in while the call runs are not part of it, so that it ends. */
function readSelection(
  workspaceId: string,
  { ids, filter }: { ids?: string[]; filter?: QuarantineFilter },
  nowMs: number,
): Selection {
  if ((ids === undefined) === (filter === undefined)) {
    const message =
      'must be given, either the one or the other; an empty filter means everything in quarantine'
    throw new Problem('invalid-parameter', {
      detail: `ids or filter ${message}.`,
      errors: [{ field: 'ids', message }],
    })
  }
  const query = toQuery(workspaceId, { ...filter, state: 'held' }, nowMs)
  const untilNow = { ...query, toMs: Math.min(query.toMs, nowMs + 1) }
  if (ids === undefined) return [untilNow]
  const eventIds = [...new Set(ids)].map(eventIdOf).filter((id) => id !== null)
  const parts = Math.ceil(eventIds.length / idsPerQuery)
  return Array.from({ length: parts }, (_, part) => ({
    ...untilNow,
    eventIds: eventIds.slice(part * idsPerQuery, (part + 1) * idsPerQuery),
  }))
}
