import { isRecord, privacyLimits, transferFormat } from '@assay/contract'
import { untilTrue } from '../harness.ts'
import type { Reply } from './connection.ts'
import type { Json } from './example.ts'
import type { HostileRequest } from './request.ts'
import { routeNamed, type Target } from './target.ts'

/** What the product took over responsibility for: events, and the identifiers of people. */
export class Acknowledged {
  /** With the request that brought it, and its answer. */
  readonly eventIds = new Map<string, string>()
  /** As they were sent, `user_id` or `anonymous_id` with a value. */
  readonly identifiers = new Map<string, { type: string; value: string }>()
  /** Those of them that a completed request named. */
  readonly #forgotten = new Set<string>()

  note({ route, body, label }: HostileRequest, { status, text }: Reply): void {
    if (route.plane !== 'data' || status < 200 || status >= 300 || text === '') return
    // An alias is an entry of the ledger and no event.
    if (route.id === 'alias') return
    const answer: unknown = JSON.parse(text)
    const how = `${route.id}, ${label.slice(0, 120)}: ${text.slice(0, 500)}`
    for (const id of [...storedIds(answer), ...clientIds(body, answer)])
      if (!this.eventIds.has(id)) this.eventIds.set(id, how)
    if (route.id !== 'identify' && route.id !== 'track') return
    const sent: unknown = typeof body === 'string' ? JSON.parse(body) : null
    for (const type of ['user_id', 'anonymous_id']) {
      const value = isRecord(sent) ? sent[type] : undefined
      if (typeof value === 'string' && value.trim() !== '')
        this.identifiers.set(`${type} ${value}`, { type, value })
    }
  }

  /** Events that are neither stored nor quarantined nor dead letters. */
  async missing(target: Target): Promise<string[]> {
    const known = await deadEventIds(target)
    for await (const row of exportedRows(target, ['events', 'quarantine'])) known.add(String(row.event_id))
    return [...this.eventIds].filter(([id]) => !known.has(id)).map(([id, how]) => `${id} by ${how}`)
  }

  /**
   * Identifiers whose erasure was refused or failed; placeholders such as null identify no one, and are
   * skipped.
   */
  async unforgettable(target: Target): Promise<string[]> {
    const wrong: string[] = []
    const waiting = [...this.identifiers.values()]
    // All are asked for first: the product works on many at once.
    const asked = new Map<string, typeof waiting>()
    while (waiting.length > 0) {
      const identifiers = waiting.splice(0, privacyLimits.identifiersMax)
      const body = { identifiers, regime: 'gdpr' }
      const reply = await ask(target, 'POST', routeNamed('requestForget').path, body)
      const refused = /identifiers\[(\d+)\]\.value identifies no one/.exec(reply.text)?.[1]
      if (refused !== undefined) {
        identifiers.splice(Number(refused), 1)
        waiting.push(...identifiers)
      } else if (reply.status === 202) asked.set(String(recordOf(reply.text).id), identifiers)
      else wrong.push(`${reply.text}: ${JSON.stringify(identifiers)}`)
    }
    for (const [id, identifiers] of asked) {
      const status = await endOf(target, id)
      if (status !== 'completed') wrong.push(`${status}: ${JSON.stringify(identifiers)}`)
      else for (const { type, value } of identifiers) this.#forgotten.add(`${type} ${value}`)
    }
    return wrong
  }

  /** Stored events that still name a person who was erased. */
  async unerased(target: Target): Promise<string[]> {
    const wrong: string[] = []
    for await (const row of exportedRows(target, ['events', 'quarantine'])) {
      const named = ['user_id', 'anonymous_id'].find((type) => this.#forgotten.has(`${type} ${row[type]}`))
      if (named !== undefined) wrong.push(`${row.event_id} names ${named} ${row[named]}`)
    }
    return wrong
  }
}

/** Ids of one event, or of a batch, that were not rejected. */
function storedIds(answer: unknown): string[] {
  if (!isRecord(answer)) return []
  const results = Array.isArray(answer.results) ? answer.results : [answer]
  return results.flatMap((result: unknown) => {
    if (!isRecord(result) || result.outcome === 'reject' || result.outcome === undefined) return []
    const id = result.event_id ?? result.eventId
    return typeof id === 'string' ? [id] : []
  })
}

/** Clients of other tools are answered without ids: those of the examples, where all of a request was taken. */
function clientIds(body: HostileRequest['body'], answer: unknown): string[] {
  const counts = isRecord(answer) && isRecord(answer.assay) ? answer.assay : null
  if (counts === null || counts.rejected !== 0 || typeof body !== 'string') return []
  const taken = ['accepted', 'warned', 'quarantined'].reduce((sum, name) => sum + Number(counts[name]), 0)
  if (taken === 0) return []
  return [...body.matchAll(/"(?:uuid|insert_id|\$insert_id)":"((?:ph|ph-e|am|mp)-\d+)"/g)].map(
    ([, id]) => id ?? '',
  )
}

async function deadEventIds(target: Target): Promise<Set<string>> {
  const ids = new Set<string>()
  for (let cursor = ''; ; ) {
    const { text } = await ask(target, 'GET', `/v1/dead-letters?limit=200${cursor}`)
    const page: unknown = JSON.parse(text)
    if (!isRecord(page) || !Array.isArray(page.data)) throw new Error(`no list of dead letters: ${text}`)
    for (const letter of page.data) if (isRecord(letter)) ids.add(String(letter.event_id))
    if (typeof page.next_cursor !== 'string') return ids
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

/** All rows of some parts at one moment: a question for each event would take the portable engine minutes. */
async function* exportedRows(
  target: Target,
  parts: readonly string[],
): AsyncGenerator<Record<string, unknown>> {
  // Erasing a person deletes earlier exports.
  await untilTrue('the requests of people', () => isIdle(target), forgetMsMax)
  const path = '/v1/workspace/exports'
  const { id } = await read(target, 'POST', path, { format: transferFormat })
  const state = async () => (await read(target, 'GET', `${path}/${id}`)).status
  await untilTrue('the export', async () => (await state()) !== 'running', exportMsMax)
  for (const part of parts) {
    for (let offset: unknown = 0; typeof offset === 'number'; ) {
      const { text, next_offset } = await read(target, 'GET', `${path}/${id}/parts/${part}?offset=${offset}`)
      for (const line of String(text).split('\n')) if (line !== '') yield recordOf(line)
      offset = next_offset
    }
  }
}

async function isIdle(target: Target): Promise<boolean> {
  const { data } = await read(target, 'GET', '/v1/consent/dsr?limit=200')
  const isOpen = (request: unknown) => isRecord(request) && openStatuses.has(String(request.status))
  return Array.isArray(data) && !data.some(isOpen)
}

const openStatuses = new Set(['pending', 'in_progress'])

async function read(
  target: Target,
  method: string,
  path: string,
  body?: Json,
): Promise<Record<string, unknown>> {
  const { status, text } = await ask(target, method, path, body)
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
  return recordOf(text)
}

function recordOf(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text)
  if (!isRecord(value)) throw new Error(`no object: ${text.slice(0, 200)}`)
  return { ...value }
}

const exportMsMax = 120_000
/** Decisions: a hundred of them are done within a minute. */
const forgetMsMax = 300_000

async function endOf(target: Target, id: string): Promise<string> {
  const end = performance.now() + forgetMsMax
  for (;;) {
    const { text } = await ask(target, 'GET', `/v1/consent/dsr/${id}`)
    const request: unknown = JSON.parse(text)
    const status = isRecord(request) ? String(request.status) : 'unreadable'
    if (!openStatuses.has(status) || performance.now() > end) return status
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function ask({ connection, credentials }: Target, method: string, path: string, body?: Json): Promise<Reply> {
  return connection.raw({
    method,
    path,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
    credential: credentials.live,
  })
}
