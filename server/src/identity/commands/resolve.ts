import { type Confidence, type Input, type Output, Problem, type resolveIdentity } from '@assay/contract'
import { confidenceOf, type Identifier, isDevice, isOurs, rankOf, stepOf } from '../graph/identifier.ts'
import { applyClaims, type Claim, type Linked, toIdentifierRow } from '../graph/links.ts'
import type { Named } from '../graph/neighbourhood.ts'
import { normalise } from '../graph/normal-form.ts'
import type { LedgerTransaction } from '../ledger/transaction.ts'
import type { People } from '../people.ts'
import { insertIdentifiers, selectIdentifiers } from '../store.ts'
import { refusalOf } from './refusals.ts'

type Body = Input<typeof resolveIdentity>['body']
type Answer = Output<typeof resolveIdentity>
type Rejected = Answer['rejected'][number]

/** The seven steps: who these identifiers mean, and what they link. */
export async function resolve(
  people: People,
  workspaceId: string,
  body: Body,
  actor: string,
): Promise<Answer> {
  const { usable, rejected } = await readIdentifiers(people, workspaceId, body.identifiers)
  const named = (await people.name(workspaceId, usable)).toSorted(byStrength)
  rejected.push(...unknownReferences(usable, named))
  const [anchor, ...others] = named
  if (anchor === undefined) {
    return { person_id: null, step: 2, confidence: null, matched: [], rejected, would_merge: [] }
  }
  const isReadOnly = body.read_only ?? false
  if (isReadOnly && !named.some(({ isSeen }) => isSeen)) {
    return { person_id: null, step: 7, confidence: null, matched: [], rejected, would_merge: [] }
  }
  const matched = await matchedOf(people, workspaceId, named)
  const turn = (transaction: LedgerTransaction) => tieTogether(transaction, anchor, others, actor)
  const { personId, linked } = await (isReadOnly
    ? people.dryRun(workspaceId, turn)
    : people.take(workspaceId, turn))
  return {
    person_id: personId,
    ...placeOf(matched, anchor),
    matched,
    rejected: [...rejected, ...linked.flatMap(({ other, outcome }) => notTied(other, outcome))],
    would_merge: mergedOf(linked, matched, personId),
  }
}

type IdentifierInput = Body['identifiers'][number]

/** Steps 1 and 2. */
async function readIdentifiers(
  people: People,
  workspaceId: string,
  given: readonly IdentifierInput[],
): Promise<{ usable: Identifier[]; rejected: Rejected[] }> {
  const usable: Identifier[] = []
  const rejected: Rejected[] = []
  for (const { type, value, verified = true } of given) {
    const found = normalise({ type, value })
    const isContact = type === 'email' || type === 'phone'
    if ('refused' in found) rejected.push({ type, value, reason: found.refused })
    else if (isContact && !verified) rejected.push({ type, value, reason: 'unverified' })
    else usable.push({ type, value: found.value })
  }
  const suppressed = await suppressedAmong(people, workspaceId, usable)
  for (const { type, value } of suppressed) rejected.push({ type, value, reason: 'suppressed' })
  return { usable: usable.filter((identifier) => !suppressed.includes(identifier)), rejected }
}

/** Those of people who were erased. */
export async function suppressedAmong(
  people: People,
  workspaceId: string,
  identifiers: readonly Identifier[],
): Promise<Identifier[]> {
  const originalIds = identifiers.map((identifier) => people.originalId(workspaceId, identifier))
  const suppressed = await people.suppressed(workspaceId, originalIds)
  return identifiers.filter((_, index) => suppressed.has(originalIds[index] ?? ''))
}

function byStrength(left: Named, right: Named): number {
  const byRank = rankOf(left.type) - rankOf(right.type)
  if (byRank !== 0) return byRank
  return left.originalId < right.originalId ? -1 : 1
}

/** An id of ours that was never issued is foreign or mistyped. */
function unknownReferences(usable: readonly Identifier[], named: readonly Named[]): Rejected[] {
  const originalIds = new Set(named.map(({ originalId }) => originalId))
  return usable
    .filter(({ type, value }) => type === 'person_id' && isOurs(value) && !originalIds.has(value))
    .map(({ type, value }) => ({ type, value, reason: 'unknown_person' }))
}

async function matchedOf(
  people: People,
  workspaceId: string,
  named: readonly Named[],
): Promise<Answer['matched']> {
  const seen = named.filter(({ isSeen }) => isSeen)
  const rows = await selectIdentifiers(
    people.control,
    workspaceId,
    seen.map(({ originalId }) => originalId),
  )
  const personOf = new Map(rows.map((row) => [row.original_id, row.person_id]))
  return seen.map(({ type, value, originalId }) => ({
    type,
    value,
    person_id: personOf.get(originalId) ?? originalId,
    step: stepOf(type),
  }))
}

type Tied = Linked & { other: Named }

async function tieTogether(
  transaction: LedgerTransaction,
  anchor: Named,
  others: readonly Named[],
  actor: string,
): Promise<{ personId: string; linked: Tied[] }> {
  const { sql, workspaceId } = transaction
  // A device alone is not enough to link another identifier to its person.
  const tied = isDevice(anchor.type) ? [] : others
  const answers = await applyClaims(
    transaction,
    tied.map((other) => claimOf(anchor, other, actor)),
  )
  const linked = answers.flatMap((one, index) => {
    const other = tied[index]
    return other === undefined ? [] : [{ ...one, other }]
  })
  for (const one of linked) {
    const refusal = isDevice(one.other.type) && one.outcome !== 'too_many_identifiers' ? null : refusalOf(one)
    if (refusal !== null) throw refusal
  }
  await insertIdentifiers(sql, workspaceId, [toIdentifierRow(anchor, 'resolve')])
  const [row] = await selectIdentifiers(sql, workspaceId, [anchor.originalId])
  return { personId: row?.person_id ?? anchor.originalId, linked }
}

function claimOf(anchor: Named, other: Named, actor: string): Claim {
  const step = stepOf(anchor.type)
  return {
    anchor,
    other,
    step,
    confidence: confidenceOf(step),
    isExplicit: false,
    source: 'resolve',
    actor,
    reason: null,
    triggeringEventId: null,
  }
}

function notTied({ type, value }: Named, outcome: Linked['outcome']): Rejected[] {
  const isTied = outcome === 'known' || outcome === 'linked' || outcome === 'merged'
  return isTied ? [] : [{ type, value, reason: outcome }]
}

/** Which identifier found the person: the strongest known one; null for a new person. */
function placeOf(matched: Answer['matched'], anchor: Named): { step: number; confidence: Confidence } {
  const [strongest] = matched
  if (strongest === undefined) return { step: 7, confidence: confidenceOf(stepOf(anchor.type)) }
  return { step: strongest.step, confidence: confidenceOf(strongest.step) }
}

function mergedOf(linked: readonly Tied[], matched: Answer['matched'], personId: string): string[] {
  const merged = linked.filter(({ outcome }) => outcome === 'merged').flatMap(({ before }) => before)
  const known = new Set(matched.map(({ person_id }) => person_id))
  return [...new Set(merged)].filter((id) => id !== personId && known.has(id))
}

/** The route counts as a read for callers that only look up. */
export function requireWriter(scopes: readonly string[], isTestKey: boolean): void {
  if (!isTestKey && (scopes.includes('*') || scopes.includes('identity:write'))) return
  throw new Problem('insufficient-scope', {
    detail: 'Send read_only: true, or use a live key with the scope identity:write.',
  })
}
