import { Problem, readTrack, withoutAlias } from '@assay/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Sites } from '../../sites/sites.ts'
import type { Control, Sql } from '../../store/control.ts'
import { trackRefusal } from '../answers.ts'
import type { Ingest } from '../ingest.ts'
import type { ItemResult } from '../item-result.ts'
import type { Sender } from '../validation.ts'
import type { EventLog } from '../wal/event-log.ts'
import { refusal } from '../write-path.ts'
import { type DeadLetters, marked, readLine } from './dead-letters.ts'
import { repairedEvent } from './event.ts'
import {
  type DeadLetterLine,
  type DeadLetterPlace,
  type DeadLetterQuery,
  type DeadLetterRow,
  decideDeadLetters,
  findDeadLetter,
  lockWaiting,
  selectWaitingIds,
} from './store.ts'

export type LetterDecisions = {
  load: (workspaceId: string, id: string, by: string) => Promise<DeadLetterRow>
  loadRepaired: (
    workspaceId: string,
    id: string,
    event: Readonly<Record<string, unknown>>,
    by: string,
  ) => Promise<ItemResult>
  loadAll: (query: DeadLetterQuery, by: string) => Promise<{ loaded: number; more: boolean }>
  discard: (workspaceId: string, id: string, by: string) => Promise<DeadLetterRow>
}

type LetterDecisionsOptions = {
  control: Control
  log: EventLog
  ingest: Ingest
  sites: Sites
  deadLetters: DeadLetters
  now: Clock
}

/** One call ends within seconds. */
const loadedPerCallMax = 10_000
/** Locked and appended together: some megabytes at most. */
const lettersPerAppend = 200

/**
 * A letter is decided in one transaction with its append: it is in the log, or it waits. If the process dies
 * between append and commit it is both, and its second load finds the event stored. Loads check the rows, not
 * each other, so two copies must not be in one segment: each call starts a new one.
 */
export function createLetterDecisions(options: LetterDecisionsOptions): LetterDecisions {
  const { control, log, deadLetters, now } = options

  async function decide<T>(
    workspaceId: string,
    id: string,
    decision: { state: 'loaded' | 'discarded'; by: string },
    work: (letter: DeadLetterLine) => Promise<T>,
  ): Promise<{ letter: DeadLetterRow; result: T }> {
    const decided = await control.transaction(async (sql) => {
      const letter = await requireWaiting(sql, workspaceId, id)
      const result = await work(letter)
      const at = new Date(now())
      await decideDeadLetters(sql, [id], { ...decision, at })
      const { line: _, ...row } = letter
      return { letter: { ...row, state: decision.state, decided_at: at, decided_by: decision.by }, result }
    })
    await deadLetters.count()
    return decided
  }

  return {
    async load(workspaceId, id, by) {
      await log.rotate()
      const append = (letter: DeadLetterLine) =>
        appendLines(log, workspaceId, [lineOf(letter) ?? unreadable()])
      return (await decide(workspaceId, id, { state: 'loaded', by }, append)).letter
    },
    async loadRepaired(workspaceId, id, event, by) {
      // The gate's verdict is computed before anything is locked.
      const waiting = await requireWaiting(control, workspaceId, id, false)
      const reload = await prepareReload(options, waiting, event)
      await log.rotate()
      return (await decide(workspaceId, id, { state: 'loaded', by }, reload)).result
    },
    loadAll: (query, by) => loadAll(options, query, by),
    async discard(workspaceId, id, by) {
      return (await decide(workspaceId, id, { state: 'discarded', by }, async () => {})).letter
    },
  }
}

async function requireWaiting(
  sql: Sql,
  workspaceId: string,
  id: string,
  isLocked = true,
): Promise<DeadLetterLine> {
  const letter = await findDeadLetter(sql, workspaceId, id, isLocked)
  if (letter === null) throw new Problem('not-found', { detail: 'There is no such dead letter.' })
  if (letter.state === 'waiting') return letter
  throw new Problem('conflict', { detail: `This dead letter is ${letter.state} already.` })
}

const textOf = (line: Uint8Array) => Buffer.from(line).toString('utf8')

/** Null if the line is damaged. */
function lineOf({ id, line, is_stored }: Pick<DeadLetterLine, 'id' | 'line' | 'is_stored'>): string | null {
  const text = textOf(line)
  return typeof readLine(text).outcome === 'string' ? `${marked(text, id, is_stored)}\n` : null
}

function unreadable(): never {
  throw new Problem('conflict', {
    detail: 'This line cannot be read. Load it with a repaired event, or discard it.',
  })
}

async function appendLines(log: EventLog, workspaceId: string, lines: readonly string[]): Promise<void> {
  const owner = { workspaceId, stored: lines.length }
  await log.append(lines.join(''), lines.length, owner).catch((error: unknown) => {
    throw refusal(error)
  })
}

async function loadAll(
  { control, log, deadLetters, now }: LetterDecisionsOptions,
  query: DeadLetterQuery,
  by: string,
): Promise<{ loaded: number; more: boolean }> {
  const until = new Date(now())
  let after: DeadLetterPlace | null = null
  let loaded = 0
  await log.rotate()
  while (loaded < loadedPerCallMax) {
    const page: Pick<DeadLetterRow, 'id' | 'failed_at'>[] = await selectWaitingIds(
      control,
      query,
      until,
      after,
      lettersPerAppend,
    )
    const last = page.at(-1)
    if (last === undefined) break
    after = { failedMs: last.failed_at.getTime(), id: last.id }
    loaded += await control.transaction(async (sql) => {
      const letters = await lockWaiting(
        sql,
        query.workspaceId,
        page.map(({ id }) => id),
      )
      const readable = letters.flatMap((letter) => {
        const line = lineOf(letter)
        return line === null ? [] : [{ id: letter.id, line }]
      })
      if (readable.length === 0) return 0
      await appendLines(
        log,
        query.workspaceId,
        readable.map(({ line }) => line),
      )
      const ids = readable.map(({ id }) => id)
      await decideDeadLetters(sql, ids, { state: 'loaded', by, at: new Date(now()) })
      return ids.length
    })
  }
  await deadLetters.count()
  return { loaded, more: loaded >= loadedPerCallMax }
}

/** Validates the repaired event; returns the function that appends it to the log. */
async function prepareReload(
  { ingest, sites }: LetterDecisionsOptions,
  letter: DeadLetterLine,
  event: Readonly<Record<string, unknown>>,
): Promise<() => Promise<ItemResult>> {
  const line = readLine(textOf(letter.line))
  const site = await sites.own(letter.workspace_id, letter.site_id)
  if (site === null) throw new Problem('conflict', { detail: 'The site of this event is gone.' })
  const reading = withoutAlias(readTrack(repairedEvent(event, line), { type: 'track', isHistorical: true }))
  const receivedMs = letter.received_at?.getTime() ?? letter.failed_at.getTime()
  const sender = senderOf(letter.workspace_id, line)
  const prepared = await ingest.prepareReload({ site, reading }, sender, receivedMs)
  if (prepared.result.outcome === 'reject') throw trackRefusal(prepared.result)
  return () => prepared.append({ line, letter: letter.id, isStored: letter.is_stored })
}

/** The sender as for the original event. Who repairs it is trusted like the owner of a secret key. */
function senderOf(workspaceId: string, line: Readonly<Record<string, unknown>>): Sender {
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  const place = { country: text(line.country), region: text(line.region), city: text(line.city) }
  const facts = { locale: '', place, lookupPlace: () => place, gpc: false, agent: null }
  return {
    workspaceId,
    keyClass: 'secret',
    keyId: text(line.key_id),
    endpoint: endpointOf(text(line.endpoint)),
    storesNothing: false,
    facts: { credential: 'secret', ...facts },
  }
}

function endpointOf(endpoint: string): Sender['endpoint'] {
  if (endpoint.startsWith('webhook:')) return `webhook:${endpoint.slice('webhook:'.length)}`
  return endpoint === 'batch' || endpoint === 'ingest' ? endpoint : 'track'
}
