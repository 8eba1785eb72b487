import {
  type Input,
  identityLimits,
  type LedgerEntry,
  type mergePeople,
  type Output,
  Problem,
  type reverseMerge,
} from '@assay/contract'
import { rankOf } from '../graph/identifier.ts'
import { applyClaims, type Claim } from '../graph/links.ts'
import type { Named } from '../graph/neighbourhood.ts'
import { toLedgerEntry } from '../ledger/entries.ts'
import type { LedgerRow } from '../ledger/ledger-store.ts'
import type { LedgerTransaction } from '../ledger/transaction.ts'
import type { People } from '../people.ts'
import { requireOriginal } from '../profiles/person.ts'
import { selectIdentifiers, selectMembers } from '../store.ts'
import { refusalOf } from './refusals.ts'
import { applyReversal, type ReversalRequest } from './reversal.ts'
import { storable } from './wire.ts'

type MergeBody = Input<typeof mergePeople>['body']

/** Merges two people on request, whatever identifiers they have. */
export async function mergeOnPurpose(
  people: People,
  workspaceId: string,
  body: MergeBody,
  actor: string,
): Promise<Output<typeof mergePeople>> {
  const anchor = await requireNamed(people, workspaceId, body.survivor_id)
  const other = await requireNamed(people, workspaceId, body.absorbed_id)
  const claim: Claim = {
    anchor,
    other,
    step: null,
    confidence: 'certain',
    isExplicit: true,
    source: 'merge',
    actor,
    reason: storable(body.reason),
    triggeringEventId: null,
  }
  const planned = await people.dryRun(workspaceId, (turn) => merge(turn, claim))
  const counted = await people.sightings.count(workspaceId, planned.movedIds)
  const isDryRun = body.dry_run ?? false
  if (isDryRun) {
    const moved = planned.row.moved && { ...planned.row.moved, ...counted }
    return { ...toLedgerEntry({ ...planned.row, moved }), id: null, dry_run: true }
  }
  const { row } = await people.take(workspaceId, (turn) => merge(turn, { ...claim, counted }))
  return { ...toLedgerEntry(row), dry_run: false }
}

async function requireNamed(people: People, workspaceId: string, given: string): Promise<Named> {
  const { originalId } = await requireOriginal(people, workspaceId, given)
  const [named] = await people.name(workspaceId, [{ type: 'person_id', value: originalId }])
  if (named === undefined) throw new Problem('not-found', { detail: 'There is no such person.' })
  return named
}

/**
 * Two people are linked by their strongest identifiers. Linked by their devices, they would be three: the two
 * devices as one, claimed by both owners, so that it belongs to neither.
 */
async function strongestOf({ sql, workspaceId }: LedgerTransaction, named: Named): Promise<Named> {
  const [row] = await selectIdentifiers(sql, workspaceId, [named.originalId])
  const members = row === undefined ? [] : await selectMembers(sql, workspaceId, [row.person_id])
  // The earliest come first, and stay there among equals.
  const [strongest] = members.toSorted((left, right) => rankOf(left.type) - rankOf(right.type))
  if (strongest === undefined) return named
  const { original_id: originalId, type, value, first_seen_at } = strongest
  return { originalId, type, value: value ?? '', firstSeenMs: first_seen_at.getTime(), isSeen: true }
}

async function merge(
  transaction: LedgerTransaction,
  claim: Claim,
): Promise<{ row: LedgerRow; movedIds: readonly string[] }> {
  const anchor = await strongestOf(transaction, claim.anchor)
  const other = await strongestOf(transaction, claim.other)
  const [linked] = await applyClaims(transaction, [{ ...claim, anchor, other }])
  if (linked === undefined) throw new Error('one claim in gave no answer')
  const refusal = refusalOf(linked)
  if (refusal !== null) throw refusal
  if (linked.entry === null) {
    throw new Problem('conflict', {
      detail: 'These two are already one person.',
      members: { person_id: linked.personId },
    })
  }
  return { row: linked.entry, movedIds: linked.movedIds }
}

type ReverseBody = Input<typeof reverseMerge>['body']

/** Reverses an entry, as if it had never been. */
export async function reverseEntry(
  people: People,
  workspaceId: string,
  entryId: string,
  body: ReverseBody,
  actor: string,
): Promise<Output<typeof reverseMerge>> {
  const request: Omit<ReversalRequest, 'counted'> = {
    entryId,
    reason: storable(body.reason),
    keepApart: body.keep_apart ?? true,
    cascade: body.cascade ?? false,
    actor,
  }
  const nothing = { events: 0, outcomes: 0 }
  const planned = await people.dryRun(workspaceId, (turn) =>
    applyReversal(turn, { ...request, counted: nothing }),
  )
  const counted = await people.sightings.count(workspaceId, planned.movedIds)
  const isDryRun = body.dry_run ?? false
  const done = isDryRun
    ? planned
    : await people.take(workspaceId, (turn) => applyReversal(turn, { ...request, counted }))
  if (!isDryRun) await people.reversed()
  const moved = done.row.moved && { ...done.row.moved, ...counted }
  const entry: LedgerEntry = toLedgerEntry({ ...done.row, moved })
  return {
    ...entry,
    id: isDryRun ? null : entry.id,
    dry_run: isDryRun,
    person_ids: done.personIds.slice(0, identityLimits.identifiersMax),
    reversed: done.reversed,
    still_joined_by: done.stillJoinedBy,
  }
}
