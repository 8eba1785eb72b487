import type { Confidence, LedgerType, Moved } from '@assay/contract'
import type { LedgerRow } from '../ledger/ledger-store.ts'
import type { EntryDraft, LedgerTransaction } from '../ledger/transaction.ts'
import { countTraitsEach } from '../profiles/trait-store.ts'
import { insertIdentifiers, insertLinks, moveIdentifiers, renamePerson } from '../store.ts'
import { GrowingGraph } from './growing-graph.ts'
import { isOurs } from './identifier.ts'
import { type Judgement, judgeMerge, judgeStatement, type Refusal } from './link-rules.ts'
import { type Loaded, loadNeighbourhood, type Named } from './neighbourhood.ts'
import { type Link, partition } from './partition.ts'

/** A claim that two identifiers belong to one person, with its sender. */
export type Claim = {
  anchor: Named
  other: Named
  step: number | null
  confidence: Confidence
  /** An explicit merge. */
  isExplicit: boolean
  /** Its origin: event, identify, alias, resolve, merge. */
  source: string
  actor: string
  reason: string | null
  triggeringEventId: string | null
  /** Counts for explicit callers; automatic links have none. */
  counted?: Pick<Moved, 'events' | 'outcomes'>
}

export type Linked = {
  /** The current person of the stronger one. */
  personId: string
  /** The two people before. */
  before: [string, string]
  outcome: 'known' | 'linked' | 'merged' | 'shared_device' | Refusal
  /** Null if nothing was written. */
  entry: LedgerRow | null
  /** Original ids that belong to another person now. */
  movedIds: readonly string[]
}

type Drafted = Omit<Linked, 'entry'> & { claim: Claim; draft: EntryDraft | null; link: Link | null }

/** Decides claims in order by what is known now, and writes the results together. */
export async function applyClaims(
  transaction: LedgerTransaction,
  claims: readonly Claim[],
): Promise<Linked[]> {
  const { sql, workspaceId } = transaction
  const around = await loadNeighbourhood(
    sql,
    workspaceId,
    claims.flatMap(({ anchor, other }) => [anchor, other]),
  )
  const graph = new GrowingGraph(around.graph)
  const traits = await countTraitsEach(sql, workspaceId, [...around.rows.keys()])
  const drafted = claims.map((claim, index) => {
    const one = judgeClaim(around, graph, traits, claim, transaction.seq + index + 1)
    if (one.link !== null) graph.add(one.link)
    return one
  })
  const recorded = drafted.filter(({ link }) => link !== null)
  if (recorded.length === 0) return drafted.map(toLinked(new Map()))
  await ensureIdentifiers(transaction, around, recorded)
  const rows = await transaction.append(recorded.flatMap(({ draft }) => draft ?? []))
  const entries = new Map(recorded.map((one, index) => [one, rows[index]]))
  await writeLinks(transaction, entries)
  const ends = recorded.flatMap(({ claim }) => [claim.anchor.originalId, claim.other.originalId])
  await writeMoves(transaction, around, partition(graph.around(ends)))
  return drafted.map(toLinked(entries))
}

function toLinked(entries: ReadonlyMap<Drafted, LedgerRow | undefined>): (one: Drafted) => Linked {
  return (one) => {
    const { personId, before, outcome, movedIds } = one
    return { personId, before, outcome, movedIds, entry: entries.get(one) ?? null }
  }
}

function judgeClaim(
  around: Loaded,
  graph: GrowingGraph,
  traits: ReadonlyMap<string, number>,
  claim: Claim,
  seq: number,
): Drafted {
  const { anchor, other, isExplicit } = claim
  const here = { ...around, graph: graph.around([anchor.originalId, other.originalId]) }
  const link = linkOf(claim, seq)
  const judgement = isExplicit ? judgeMerge(here, link) : judgeStatement(here, link)
  const people = judgement.kind === 'joined' || judgement.kind === 'shared' ? judgement : null
  const before = people?.before ?? partition(here.graph)
  const after = people?.after ?? before
  const movedIds = changedIds(before, after)
  const entryType = entryTypeOf(judgement)
  const draft = entryType === null ? null : draftOf(claim, entryType, { before, after, movedIds, traits })
  return {
    claim,
    draft,
    link: entryType === null ? null : { ...link, entryType },
    personId: after.get(anchor.originalId) ?? anchor.originalId,
    before: [
      before.get(anchor.originalId) ?? anchor.originalId,
      before.get(other.originalId) ?? other.originalId,
    ],
    outcome: outcomeOf(judgement),
    movedIds,
  }
}

/** The ledger entry to write, if any. */
function entryTypeOf(judgement: Judgement): LedgerType | null {
  if (judgement.kind === 'joined') return judgement.entryType
  return judgement.kind === 'shared' && judgement.isNew ? 'keep_apart' : null
}

function outcomeOf(judgement: Judgement): Linked['outcome'] {
  if (judgement.kind === 'refused') return judgement.why
  if (judgement.kind === 'known') return 'known'
  if (judgement.kind === 'shared') return 'shared_device'
  return judgement.entryType === 'merge' ? 'merged' : 'linked'
}

function linkOf({ anchor, other, isExplicit, confidence }: Claim, seq: number): Link {
  const ends = orderedEnds(anchor.originalId, other.originalId)
  const survivor = isExplicit ? anchor.originalId : null
  return { entryId: `new ${seq}`, seq, ...ends, entryType: 'merge', isExplicit, confidence, survivor }
}

export function orderedEnds(one: string, other: string): { a: string; b: string } {
  return one < other ? { a: one, b: other } : { a: other, b: one }
}

export function changedIds(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  return [...after.keys()].filter((originalId) => before.get(originalId) !== after.get(originalId))
}

type Change = {
  before: ReadonlyMap<string, string>
  after: ReadonlyMap<string, string>
  movedIds: readonly string[]
  traits: ReadonlyMap<string, number>
}

function draftOf(claim: Claim, type: LedgerType, change: Change): EntryDraft {
  const { anchor, other, step, confidence, isExplicit, actor, reason, triggeringEventId, counted } = claim
  const { movedIds, traits } = change
  return {
    type,
    isExplicit,
    step,
    confidence,
    actor,
    reverses: null,
    ...survivorOf(claim, change),
    ...orderedEnds(anchor.originalId, other.originalId),
    reason: type === 'keep_apart' ? 'shared_device' : reason,
    triggeringEventId,
    moved: {
      identifiers: movedIds.length,
      traits: movedIds.reduce((sum, originalId) => sum + (traits.get(originalId) ?? 0), 0),
      events: counted?.events ?? null,
      outcomes: counted?.outcomes ?? null,
    },
  }
}

/** Of two merged people, the one whose id is kept survives. */
function survivorOf({ anchor, other }: Claim, { before, after }: Change) {
  const survivorId = after.get(anchor.originalId) ?? anchor.originalId
  const [one, two] = [anchor, other].map(({ originalId }) => before.get(originalId) ?? originalId)
  return { survivorId, absorbedId: (one === survivorId ? two : one) ?? survivorId }
}

async function ensureIdentifiers(
  { sql, workspaceId }: LedgerTransaction,
  { rows }: Loaded,
  recorded: readonly Drafted[],
): Promise<void> {
  const missing = new Map<string, Parameters<typeof toIdentifierRow>>()
  for (const { claim } of recorded) {
    for (const named of [claim.anchor, claim.other]) {
      if (!rows.has(named.originalId)) missing.set(named.originalId, [named, claim.source])
    }
  }
  if (missing.size === 0) return
  const added = [...missing.values()].map(([named, source]) => toIdentifierRow(named, source))
  await insertIdentifiers(sql, workspaceId, added)
}

/**
 * An id of ours names a person, and is not an identifier that they came with. People known from events came
 * by an event.
 */
export function toIdentifierRow({ originalId, type, value, firstSeenMs, isSeen }: Named, source: string) {
  return {
    original_id: originalId,
    type,
    value: isOurs(value) ? null : value,
    first_seen_at: new Date(firstSeenMs),
    source: isSeen ? 'event' : source,
  }
}

async function writeLinks(
  { sql, workspaceId }: LedgerTransaction,
  entries: ReadonlyMap<Drafted, LedgerRow | undefined>,
): Promise<void> {
  const links = [...entries].flatMap(([{ claim }, entry]) => (entry === undefined ? [] : [{ claim, entry }]))
  await insertLinks(
    sql,
    workspaceId,
    links.map(({ claim, entry }) => ({
      entry_id: entry.id,
      seq: entry.seq,
      ...orderedEnds(claim.anchor.originalId, claim.other.originalId),
      entry_type: entry.type,
      is_explicit: claim.isExplicit,
      confidence: claim.confidence,
      source: claim.source,
      survivor: claim.isExplicit ? claim.anchor.originalId : null,
    })),
  )
}

/**
 * People who are only partly loaded never split, so they are renamed as a whole; the others are moved one by
 * one.
 */
export async function writeMoves(
  { sql, workspaceId, seq }: LedgerTransaction,
  { stored, whole }: Loaded,
  after: ReadonlyMap<string, string>,
): Promise<void> {
  const renamed = new Map<string, string>()
  const moved = new Map<string, string[]>()
  for (const [originalId, personId] of after) {
    const was = stored.get(originalId) ?? originalId
    if (was === personId) continue
    if (whole.has(was)) moved.set(personId, [...(moved.get(personId) ?? []), originalId])
    else renamed.set(was, personId)
  }
  await moveIdentifiers(sql, workspaceId, moved, seq)
  for (const [was, personId] of renamed) await renamePerson(sql, workspaceId, was, personId, seq)
}
