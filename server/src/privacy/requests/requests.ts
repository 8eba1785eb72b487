import {
  type ForgetMode,
  type Input,
  invalidParameter,
  Problem,
  privacyLimits,
  type requestExport,
  type SubjectRequest,
} from '@assay/contract'
import type { People } from '../../identity/people.ts'
import type { Clock, NewId } from '../../platform/clock.ts'
import type { SendNotice } from '../../platform/notices.ts'
import { pageDefault, pageOf } from '../../platform/page.ts'
import type { Control, Sql } from '../../store/control.ts'
import { insertCallback } from './callback-store.ts'
import type { Links } from './signature.ts'
import {
  cancelRequest,
  insertRequest,
  type RequestRow,
  selectRequest,
  selectRequestOfCaller,
  selectRequests,
} from './store.ts'
import { readSubject } from './subject.ts'

type Body = Input<typeof requestExport>['body'] & { mode?: ForgetMode }

/** Creates requests and reports their status. */
export type Requests = {
  control: Control
  people: People
  links: Links
  now: Clock
  newId: NewId
  publicUrl: () => string
  sendNotice: SendNotice
}

/** The same again, under the caller's own id, is the same request. */
export async function makeRequest(
  requests: Requests,
  type: RequestRow['type'],
  workspaceId: string,
  requestedBy: string,
  body: Body,
): Promise<RequestRow> {
  const { control, people, links, now, newId } = requests
  const urls = body.status_callback_urls ?? []
  for (const [index, url] of urls.entries()) requireCallbackUrl(`status_callback_urls[${index}]`, url)
  const mode = type === 'forget' ? (body.mode ?? 'erase') : null
  const digest = links.digestOf(JSON.stringify([body.person_id, body.identifiers, body.regime, urls, mode]))
  const before = await findMade(control, type, workspaceId, body, digest)
  if (before !== null) return before
  const receivedMs = now()
  const made = await insertRequest(control, {
    workspace_id: workspaceId,
    id: newId('dsr'),
    type,
    regime: body.regime,
    subject: await readSubject(people, workspaceId, body),
    subject_request_id: body.subject_request_id ?? null,
    request_digest: digest,
    callback_urls: urls,
    requested_by: requestedBy,
    received_at: new Date(receivedMs),
    due_at: new Date(receivedMs + privacyLimits.serviceLevelMs),
    mode,
  })
  // Null: another call with the same id came in between.
  const found = made ?? (await findMade(control, type, workspaceId, body, digest))
  if (found === null) throw new Error('a request was neither made nor found')
  return found
}

async function findMade(
  sql: Sql,
  type: RequestRow['type'],
  workspaceId: string,
  { subject_request_id }: Body,
  digest: string,
): Promise<RequestRow | null> {
  if (subject_request_id === undefined) return null
  const row = await selectRequestOfCaller(sql, workspaceId, type, subject_request_id)
  if (row !== null && row.request_digest !== digest) {
    throw new Problem('conflict', {
      detail: 'There is a request with this subject_request_id that asks for something else.',
    })
  }
  return row
}

function requireCallbackUrl(field: string, url: string): void {
  const isUsable = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  if (!isUsable) throw invalidParameter(field, 'must be an address that begins with https:// or http://')
  const { username, password } = new URL(url)
  if (username !== '' || password !== '') throw invalidParameter(field, 'must not hold a password')
}

export async function requireRequest(sql: Sql, workspaceId: string, id: string): Promise<RequestRow> {
  const row = await selectRequest(sql, workspaceId, id)
  if (row === null) throw new Problem('not-found', { detail: 'There is no such request.' })
  return row
}

export async function withdrawRequest(
  requests: Requests,
  workspaceId: string,
  id: string,
): Promise<RequestRow> {
  const { control, now } = requests
  await requireRequest(control, workspaceId, id)
  return control.transaction(async (sql) => {
    const row = await cancelRequest(sql, workspaceId, id, new Date(now()))
    if (row === null) {
      throw new Problem('conflict', { detail: 'Only a request that was not begun yet can be withdrawn.' })
    }
    await noteCallbacks(requests, sql, row)
    return row
  })
}

export async function readRequests(
  requests: Requests,
  workspaceId: string,
  query: { limit?: number; cursor?: string; status?: SubjectRequest['status'] },
): Promise<{ data: SubjectRequest[]; next_cursor: string | null }> {
  const limit = query.limit ?? pageDefault
  const { status = null, cursor = null } = query
  const rows = await selectRequests(requests.control, workspaceId, status, cursor, limit + 1)
  const { page, next } = pageOf(rows, limit, ({ id }) => id)
  return {
    data: page.map((row) => toRequest(requests, row)),
    next_cursor: next,
  }
}

/** Each change of status is queued for every callback, in the transaction that makes it. */
export async function noteCallbacks(
  requests: Pick<Requests, 'newId' | 'now' | 'links' | 'publicUrl' | 'sendNotice'>,
  sql: Sql,
  row: RequestRow,
): Promise<void> {
  const at = new Date(requests.now())
  const body = JSON.stringify({
    type: 'dsr.status_changed',
    timestamp: at.toISOString(),
    data: toRequest(requests, row),
  })
  for (const url of row.callback_urls) {
    await insertCallback(sql, { id: requests.newId('msg'), requestId: row.id, url, body, at })
  }
  // Without the subject: a receiver of all callbacks need not know who they are.
  const { id, type, status } = row
  const notice = {
    type: 'dsr.status_changed',
    subject: `${id} ${status}`,
    data: { id, type, status },
  } as const
  await requests.sendNotice(row.workspace_id, notice, sql)
}

export function toRequest(
  { links, now, publicUrl }: Pick<Requests, 'links' | 'now' | 'publicUrl'>,
  row: RequestRow,
): SubjectRequest {
  const isDone = row.status === 'completed' || row.status === 'failed'
  const archive = row.result?.export ?? null
  const expiresMs = archive === null ? 0 : Date.parse(archive.expires_at)
  const link = `${publicUrl()}/v1/consent/dsr/${row.id}/download?expires=${expiresMs}`
  return {
    id: row.id,
    type: row.type,
    status: row.status,
    regime: row.regime,
    subject_request_id: row.subject_request_id,
    received_at: row.received_at.toISOString(),
    due_at: row.due_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    completed_at: row.completed_at?.toISOString() ?? null,
    sla_met: isDone ? row.status === 'completed' && (row.completed_at ?? row.due_at) <= row.due_at : null,
    progress: { step: row.step, done: row.rows_done },
    attempts: row.attempts,
    error: row.error,
    export: archive && {
      ...archive,
      url: expiresMs > now() ? `${link}&signature=${links.signatureOf(row.id, expiresMs)}` : null,
    },
    forget: row.mode && {
      mode: row.mode,
      counts: row.result?.forget?.counts ?? doneSoFar(row.state),
      certificate: row.result?.forget?.certificate ?? null,
    },
  }
}

function doneSoFar(state: RequestRow['state']): Record<string, number> {
  const done = Object.entries(state?.steps ?? {}).filter(([, { isDone }]) => isDone)
  return Object.fromEntries(done.map(([name, { rows }]) => [name, rows]))
}
