import {
  type ConsentRecord,
  type ConsentRegime,
  type CurrentConsent,
  consentOfAll,
  invalidParameter,
  nothingStated,
  type Person,
  Problem,
} from '@assay/contract'
import type { People } from '../identity/people.ts'
import { findPerson, resolveOriginalId } from '../identity/profiles/person.ts'
import { pageDefault, pageOf } from '../platform/page.ts'
import { toRecord } from './records.ts'
import { type ConsentRow, selectConsentAt, selectConsents, selectMembers } from './store.ts'

type Reader = { people: People; workspaceId: string; personId: string }

/** The effective consent of a person at a time, by their records or else by the regime. */
export async function readConsent(
  reader: Reader,
  siteRegime: ConsentRegime | null,
  atMs: number,
): Promise<CurrentConsent> {
  const { people, workspaceId, personId } = reader
  const members = await requireMembers(reader)
  const at = new Date(atMs)
  const row = await selectConsentAt(people.control, workspaceId, members, at)
  const isExpired = row !== null && row.expires_at !== null && row.expires_at <= at
  const regime = siteRegime ?? row?.regime ?? null
  const records = row === null || isExpired ? [] : [{ recordId: row.id, stated: row.stated, gpc: row.gpc }]
  return {
    person_id: resolveOriginalId(people, workspaceId, personId) ?? personId,
    at: at.toISOString(),
    regime,
    categories: consentOfAll({ regime, records, ofEvent: nothingStated, gpc: false }),
    record: row === null ? null : toRecord(row),
    expired: isExpired,
  }
}

/** The consent of a person, given by all their original ids, under each regime. */
export async function consentOfPerson(
  { control }: Pick<People, 'control'>,
  workspaceId: string,
  originalIds: readonly string[],
  atMs: number,
): Promise<Person['consent']> {
  const at = new Date(atMs)
  const row = await selectConsentAt(control, workspaceId, originalIds, at)
  const isInForce = row !== null && (row.expires_at === null || row.expires_at > at)
  const records = isInForce ? [{ recordId: row.id, stated: row.stated, gpc: row.gpc }] : []
  const under = (regime: ConsentRegime) =>
    consentOfAll({ regime, records, ofEvent: nothingStated, gpc: false })
  return {
    record: isInForce ? summaryOf(row) : null,
    regimes: { gdpr: under('gdpr'), kvkk: under('kvkk'), ccpa: under('ccpa') },
  }
}

function summaryOf({ id, source, regime, gpc, effective_at, expires_at }: ConsentRow) {
  return {
    id,
    source,
    regime,
    gpc,
    effective_at: effective_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
  }
}

export async function readConsents(
  reader: Reader,
  { limit = pageDefault, cursor }: { limit?: number; cursor?: string },
): Promise<{ data: ConsentRecord[]; next_cursor: string | null }> {
  const { people, workspaceId } = reader
  const members = await requireMembers(reader)
  const rows = await selectConsents(people.control, workspaceId, members, readCursor(cursor), limit + 1)
  const { page, next } = pageOf(rows, limit, ({ seq }) => String(seq))
  return {
    data: page.map(toRecord),
    next_cursor: next,
  }
}

const rowsPerRead = 200

/** Every record of these original ids; newest first. */
export async function* allConsents(
  { control }: People,
  workspaceId: string,
  originalIds: readonly string[],
): AsyncGenerator<ConsentRecord> {
  let beforeSeq = Number.MAX_SAFE_INTEGER
  for (;;) {
    const rows = await selectConsents(control, workspaceId, originalIds, beforeSeq, rowsPerRead)
    for (const row of rows) yield toRecord(row)
    beforeSeq = rows.at(-1)?.seq ?? 0
    if (rows.length < rowsPerRead) return
  }
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  if (!/^\d{1,15}$/.test(cursor)) throw invalidParameter('cursor', 'must be next_cursor of the page before')
  return Number(cursor)
}

/** A person with neither a record nor an event does not exist. */
async function requireMembers({ people, workspaceId, personId }: Reader): Promise<string[]> {
  const originalId = resolveOriginalId(people, workspaceId, personId)
  const members = originalId === null ? [] : await selectMembers(people.control, workspaceId, originalId)
  const [any] = await selectConsents(people.control, workspaceId, members, Number.MAX_SAFE_INTEGER, 1)
  if (any === undefined && (await findPerson(people, workspaceId, personId)) === null) {
    throw new Problem('not-found', { detail: 'There is no such person.' })
  }
  return members
}
