import {
  type DeadLetter,
  discardDeadLetter,
  getDeadLetter,
  ingestLimits,
  listDeadLetters,
  loadDeadLetter,
  loadDeadLetters,
  Problem,
} from '@assay/contract'
import { actorIdOf } from '../../http/access/principal.ts'
import { type Plane, serve } from '../../http/serve.ts'
import { pageDefault, pageOf } from '../../platform/page.ts'
import type { Platform } from '../../platform/platform.ts'
import { readLine } from './dead-letters.ts'
import type { LetterDecisions } from './decisions.ts'
import { eventOfLine } from './event.ts'
import { type DeadLetterPlace, type DeadLetterRow, findDeadLetter, selectDeadLetters } from './store.ts'

type Needs = Pick<Platform, 'control'> & { letterDecisions: LetterDecisions }

export function deadLetterRoutes(plane: Plane, { control, letterDecisions }: Needs): void {
  serve(plane, listDeadLetters, async ({ query, caller }) => {
    const { limit = pageDefault, cursor, state, site_id: siteId, step } = query
    const wanted = { workspaceId: caller.workspaceId, state, siteId, step }
    const rows = await selectDeadLetters(control, wanted, readCursor(cursor), limit + 1)
    const { page, next } = pageOf(rows, limit, cursorAfter)
    return { data: page.map(toLetter), next_cursor: next }
  })

  serve(plane, getDeadLetter, async ({ params, caller }) => {
    const letter = await findDeadLetter(control, caller.workspaceId, params.id)
    if (letter === null) throw new Problem('not-found', { detail: 'There is no such dead letter.' })
    const line = Buffer.from(letter.line)
    const event = eventOfLine(readLine(line.toString('utf8')))
    return { ...toLetter(letter), event, line: line.toString('base64') }
  })

  serve(plane, loadDeadLetter, async ({ params, body, caller }) => {
    const { event } = body
    const by = actorIdOf(caller)
    const state = 'loaded' as const
    if (event === undefined) {
      const letter = await letterDecisions.load(caller.workspaceId, params.id, by)
      return { id: params.id, state, event_id: letter.event_id || null, outcome: null, issues: [] }
    }
    requireSmall(event)
    const done = await letterDecisions.loadRepaired(caller.workspaceId, params.id, event, by)
    return { id: params.id, state, event_id: done.eventId, outcome: done.outcome, issues: [...done.issues] }
  })

  serve(plane, loadDeadLetters, ({ body: { filter }, caller }) => {
    const query = { workspaceId: caller.workspaceId, siteId: filter.site_id, step: filter.step }
    return letterDecisions.loadAll(query, actorIdOf(caller))
  })

  serve(plane, discardDeadLetter, async ({ params, caller }) =>
    toLetter(await letterDecisions.discard(caller.workspaceId, params.id, actorIdOf(caller))),
  )
}

/** The gate checks this too; a body too large for any event is refused earlier. */
function requireSmall(event: object): void {
  const { eventBytesMax } = ingestLimits
  if (Buffer.byteLength(JSON.stringify(event)) <= 2 * eventBytesMax) return
  throw new Problem('payload-too-large', { detail: `An event may take ${eventBytesMax} bytes.` })
}

function toLetter(row: DeadLetterRow): DeadLetter {
  return {
    id: row.id,
    state: row.state,
    site_id: row.site_id || null,
    event_id: row.event_id || null,
    name: row.name || null,
    step: row.step,
    reason: row.reason,
    stored: row.is_stored,
    node: row.node_id,
    received_at: row.received_at?.toISOString() ?? null,
    failed_at: row.failed_at.toISOString(),
    decided_at: row.decided_at?.toISOString() ?? null,
    decided_by: row.decided_by,
  }
}

function cursorAfter({ failed_at, id }: DeadLetterRow): string {
  return `${failed_at.getTime()}.${id}`
}

function readCursor(cursor: string | undefined): DeadLetterPlace | null {
  if (cursor === undefined) return null
  const [, ms, id] = /^(\d{1,15})\.(dl_[0-9a-f]{1,64})$/.exec(cursor) ?? []
  if (ms !== undefined && id !== undefined) return { failedMs: Number(ms), id }
  const message = 'must be a cursor of an earlier page'
  throw new Problem('invalid-parameter', {
    detail: `cursor ${message}.`,
    errors: [{ field: 'cursor', message }],
  })
}
