import {
  type ConsentRecord,
  type ConsentStatement,
  consentCategories,
  consentLimits,
  consentOfAll,
  type Input,
  invalidParameter,
  isAdCategory,
  nothingStated,
  Problem,
  readTime,
  type recordConsent,
} from '@assay/contract'
import { actorIdOf, type Principal } from '../http/access/principal.ts'
import { suppressedAmong } from '../identity/commands/resolve.ts'
import { type Identifier, isOurs } from '../identity/graph/identifier.ts'
import { normalise } from '../identity/graph/normal-form.ts'
import type { People } from '../identity/people.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import type { SiteRow } from '../sites/sites.ts'
import type { Control, Sql } from '../store/control.ts'
import {
  type ConsentRow,
  insertConsent,
  insertSubjects,
  lockPerson,
  notifySubjects,
  selectConsentAt,
  selectMembers,
} from './store.ts'
import type { Subjects } from './subjects.ts'

type ConsentBody = Input<typeof recordConsent>['body']

type ConsentWorld = {
  control: Control
  people: People
  subjects: Subjects
  now: Clock
  newId: NewId
}

/** Writes a new record, which applies to the next event. With a test key nothing is written. */
export async function writeConsent(
  world: ConsentWorld,
  caller: Principal,
  site: Pick<SiteRow, 'consent_regime'>,
  body: ConsentBody,
): Promise<ConsentRecord> {
  const { control, people, subjects, now, newId } = world
  const { workspaceId } = caller
  const keyKind = caller.kind === 'key' ? caller.keyKind : null
  const identifier = readSubject(body, keyKind === 'public')
  const subjectId = await requireSubject(people, workspaceId, identifier)
  const recordedMs = now()
  const times = readTimes(body, recordedMs, keyKind === 'public')
  requireSmallProof(body)
  const { row, members } = await control.transaction(async (sql) => {
    const members = await lockMembers(sql, workspaceId, subjectId)
    const before = await selectConsentAt(sql, workspaceId, members, times.effectiveAt)
    requireLatest(body, before)
    const row = {
      id: newId('con'),
      subject_id: subjectId,
      anonymous_id: identifier.type === 'anonymous_id' ? identifier.value : null,
      regime: body.regime === undefined ? site.consent_regime : body.regime,
      stated: stateAnew(standingStatement(before, times.effectiveAt), body),
      gpc: body.gpc === true,
      source: body.source ?? 'api',
      policy_version: body.policy_version ?? null,
      proof: body.proof ?? null,
      effective_at: times.effectiveAt,
      expires_at: times.expiresAt,
      supersedes: before?.id ?? null,
      recorded_at: new Date(recordedMs),
    }
    if (keyKind !== 'test') {
      await insertConsent(sql, workspaceId, row, actorIdOf(caller))
      await insertSubjects(sql, workspaceId, members)
      await notifySubjects(sql, workspaceId, members)
    }
    return { row, members }
  })
  // Here at once; the notice of the store reaches the other nodes a moment later.
  subjects.changed(workspaceId, members)
  return toRecord(row)
}

/** Locked by all ids of the person; who was merged while waiting is looked up again. */
async function lockMembers(sql: Sql, workspaceId: string, subjectId: string): Promise<string[]> {
  await lockPerson(sql, workspaceId, await selectMembers(sql, workspaceId, subjectId))
  return selectMembers(sql, workspaceId, subjectId)
}

const subjectFields = ['person_id', 'user_id', 'anonymous_id'] as const

function readSubject(body: ConsentBody, isPublic: boolean): Identifier {
  const given = subjectFields.filter((field) => body[field] !== undefined)
  if (isPublic && given.some((field) => field !== 'anonymous_id')) {
    throw new Problem('insufficient-scope', {
      detail: 'A public key (pk_live_) records consent of its own anonymous_id only.',
    })
  }
  const [type] = given
  if (type === undefined || given.length > 1) {
    throw invalidParameter(
      'person_id',
      'must be given, or else user_id or anonymous_id, and only one of them',
    )
  }
  const found = normalise({ type, value: body[type] ?? '' })
  if ('refused' in found) throw invalidParameter(type, 'identifies no one, or is too long')
  return { type, value: found.value }
}

async function requireSubject(people: People, workspaceId: string, identifier: Identifier): Promise<string> {
  const [suppressed] = await suppressedAmong(people, workspaceId, [identifier])
  if (suppressed !== undefined) {
    throw invalidParameter(identifier.type, 'belongs to a person who asked to be forgotten', 'suppressed')
  }
  if (identifier.type !== 'person_id' || !isOurs(identifier.value)) {
    return people.originalId(workspaceId, identifier)
  }
  const [named] = await people.name(workspaceId, [identifier])
  if (named === undefined) throw new Problem('not-found', { detail: 'There is no such person.' })
  return named.originalId
}

/** A sender's clock that is this far ahead is wrong; the gate uses the same value for events. */
const aheadMsMax = 5 * 60_000
/** A smaller difference of clocks is the network; the gate uses the same value for events. */
const skewMsMin = 2_000

function readTimes(
  body: ConsentBody,
  nowMs: number,
  isPublic: boolean,
): { effectiveAt: Date; expiresAt: Date | null } {
  const givenMs = body.effective_at === undefined ? nowMs : readInstant('effective_at', body.effective_at)
  const sentMs = readTime(body.sent_at)?.ms
  const skewMs = sentMs === undefined ? 0 : nowMs - sentMs
  const shiftedMs = givenMs + (Math.abs(skewMs) > skewMsMin ? skewMs : 0)
  // A clock that is wrong by thousands of years says nothing about another time.
  const correctedMs = isInstant(shiftedMs) ? shiftedMs : givenMs
  // A visitor means now. Only a back end may record consent for a later time.
  const isNow = correctedMs > nowMs && (isPublic || correctedMs <= nowMs + aheadMsMax)
  const effectiveMs = isNow ? nowMs : correctedMs
  const expiresMs = typeof body.expires_at === 'string' ? readInstant('expires_at', body.expires_at) : null
  if (expiresMs !== null && expiresMs <= effectiveMs)
    throw invalidParameter('expires_at', 'must be after effective_at')
  return { effectiveAt: new Date(effectiveMs), expiresAt: expiresMs === null ? null : new Date(expiresMs) }
}

/** RFC 3339 has years of four digits. */
const instantMsMax = Date.UTC(9999, 11, 31)

const isInstant = (ms: number) => ms >= 0 && ms <= instantMsMax

export function readInstant(field: string, text: string): number {
  const ms = readTime(text)?.ms
  if (ms === undefined || !isInstant(ms))
    throw invalidParameter(field, 'must be a time such as 2026-05-01T12:00:00Z')
  return ms
}

function requireSmallProof({ proof }: ConsentBody): void {
  const bytes = proof === undefined ? 0 : Buffer.byteLength(JSON.stringify(proof))
  if (bytes <= consentLimits.proofBytesMax) return
  throw invalidParameter('proof', `must not be longer than ${consentLimits.proofBytesMax} bytes`)
}

/** A caller who names the record that theirs follows must not overwrite one they do not know. */
function requireLatest({ supersedes }: ConsentBody, before: ConsentRow | null): void {
  if (supersedes === undefined || supersedes === before?.id) return
  throw new Problem('conflict', {
    detail:
      'The record named in supersedes is not the latest of this person. Read the current consent first.',
  })
}

function standingStatement(before: ConsentRow | null, at: Date): ConsentStatement {
  if (before === null) return nothingStated
  return before.expires_at !== null && before.expires_at <= at ? nothingStated : before.stated
}

/**
 * The earlier choices, overridden by the new ones. The signal of a browser denies ads, and grants nothing.
 */
function stateAnew(
  before: ConsentStatement,
  { categories = {}, gpc = false, source }: Pick<ConsentBody, 'categories' | 'gpc' | 'source'>,
): ConsentStatement {
  const stated: Record<string, 'granted' | 'denied'> = { ...before }
  for (const category of consentCategories) {
    const choice = categories[category]
    const isPresumed = source === 'gpc' && choice === 'granted'
    if (choice !== undefined && !isPresumed) stated[category] = choice
    else if (gpc && isAdCategory(category)) stated[category] = 'denied'
  }
  return stated
}

export function toRecord(row: Omit<ConsentRow, 'seq'>): ConsentRecord {
  const { id: recordId, stated, gpc, regime } = row
  return {
    id: row.id,
    person_id: row.subject_id,
    anonymous_id: row.anonymous_id,
    regime,
    categories: consentOfAll({
      regime,
      records: [{ recordId, stated, gpc }],
      ofEvent: nothingStated,
      gpc: false,
    }),
    stated,
    source: row.source,
    policy_version: row.policy_version,
    gpc,
    proof: row.proof,
    effective_at: row.effective_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    supersedes: row.supersedes,
    recorded_at: row.recorded_at.toISOString(),
  }
}
