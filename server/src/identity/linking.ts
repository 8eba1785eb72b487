import type { Confidence, Moved } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { type Loaded, loadNeighbourhood, type Named } from './neighbourhood.ts'
import type { Link } from './partition.ts'
import { type Judgement, judgeMerge, judgeStatement, type Refusal } from './statement.ts'
import { insertIdentifier, insertLink, moveIdentifiers, renamePerson } from './store.ts'
import { countTraits } from './trait-store.ts'
import type { EntryDraft, LedgerTransaction } from './transaction.ts'

/** That two identifiers belong to one person, and who says so. */
export type Claim = {
  anchor: Named
  other: Named
  step: number | null
  confidence: Confidence
  /** A merge that somebody asked for. */
  isExplicit: boolean
  /** What it came by: event, identify, alias, resolve, merge. */
  source: string
  actor: string
  reason: string | null
  triggeringEventId: string | null
  /** Counts for those who asked; automatic links do without. */
  counted?: Pick<Moved, 'events' | 'outcomes'>
}

export type Linked = {
  /** Who the stronger of the two is now. */
  personId: string
  /** Who the two were before. */
  before: [string, string]
  outcome: 'known' | 'linked' | 'merged' | 'shared_device' | Refusal
  entryId: string | null
  /** Identifiers, as born, that belong to somebody else now. */
  movedIds: readonly string[]
}

/** Judges a claim by what is known now, and writes what it leads to. */
export async function applyClaim(transaction: LedgerTransaction, claim: Claim): Promise<Linked> {
  const { sql, workspaceId } = transaction
  const around = await loadNeighbourhood(sql, workspaceId, [claim.anchor, claim.other])
  const link = toLink(claim)
  const judgement = claim.isExplicit ? judgeMerge(around, link) : judgeStatement(around, link)
  const isRecorded = judgement.kind === 'joined' || (judgement.kind === 'shared' && judgement.isNew)
  if (!isRecorded) return describe(around, claim, judgement)
  for (const named of [claim.anchor, claim.other])
    await ensureIdentifier(sql, workspaceId, around, named, claim)
  const movedIds = changedIds(judgement.before, judgement.after)
  const entry = await transaction.append(
    await draftOf(sql, workspaceId, claim, judgement.before, judgement.after, {
      type: judgement.kind === 'joined' ? judgement.entryType : 'keep_apart',
      movedIds,
    }),
  )
  await insertLink(sql, workspaceId, {
    entry_id: entry.id,
    seq: entry.seq,
    ...orderedEnds(claim.anchor.bornId, claim.other.bornId),
    entry_type: entry.type,
    is_explicit: claim.isExplicit,
    confidence: claim.confidence,
    source: claim.source,
  })
  await writeMoves(sql, workspaceId, around, judgement.after, entry.seq)
  return { ...describe(around, claim, judgement), entryId: entry.id, movedIds }
}

async function ensureIdentifier(
  sql: Sql,
  workspaceId: string,
  { rows }: Loaded,
  named: Named,
  { source }: Claim,
): Promise<void> {
  if (rows.has(named.bornId)) return
  await insertIdentifier(sql, workspaceId, {
    born_id: named.bornId,
    type: named.type,
    value: named.value,
    first_seen_at: new Date(named.firstSeenMs),
    source,
  })
}

export function orderedEnds(one: string, other: string): { a: string; b: string } {
  return one < other ? { a: one, b: other } : { a: other, b: one }
}

export function toLink({ anchor, other, isExplicit, confidence }: Claim): Link {
  const ends = orderedEnds(anchor.bornId, other.bornId)
  return { entryId: '', seq: Number.MAX_SAFE_INTEGER, ...ends, entryType: 'merge', isExplicit, confidence }
}

export function changedIds(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  return [...after.keys()].filter((bornId) => before.get(bornId) !== after.get(bornId))
}

async function draftOf(
  sql: Sql,
  workspaceId: string,
  claim: Claim,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  { type, movedIds }: { type: EntryDraft['type']; movedIds: readonly string[] },
): Promise<EntryDraft> {
  const { anchor, other, step, confidence, isExplicit, actor, reason, triggeringEventId } = claim
  return {
    type,
    isExplicit,
    step,
    confidence,
    actor,
    reverses: null,
    ...survivorOf(claim, before, after),
    ...orderedEnds(anchor.bornId, other.bornId),
    reason: type === 'keep_apart' ? 'shared_device' : reason,
    triggeringEventId,
    moved: {
      identifiers: movedIds.length,
      traits: movedIds.length === 0 ? 0 : await countTraits(sql, workspaceId, movedIds),
      events: claim.counted?.events ?? null,
      outcomes: claim.counted?.outcomes ?? null,
    },
  }
}

/** Of two who became one, the one whose id the person goes by survives. */
export function survivorOf(
  { anchor, other }: Pick<Claim, 'anchor' | 'other'>,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): { survivorId: string; absorbedId: string } {
  const survivorId = after.get(anchor.bornId) ?? anchor.bornId
  const [one, two] = [anchor, other].map(({ bornId }) => before.get(bornId) ?? bornId)
  return { survivorId, absorbedId: (one === survivorId ? two : one) ?? survivorId }
}

/** People of whom only a part is loaded never split, so they are renamed whole; of the others each is moved. */
export async function writeMoves(
  sql: Sql,
  workspaceId: string,
  { stored, whole }: Loaded,
  after: ReadonlyMap<string, string>,
  seq: number,
): Promise<void> {
  const renamed = new Map<string, string>()
  const moved = new Map<string, string[]>()
  for (const [bornId, personId] of after) {
    const was = stored.get(bornId) ?? bornId
    if (was === personId) continue
    if (whole.has(was)) moved.set(personId, [...(moved.get(personId) ?? []), bornId])
    else renamed.set(was, personId)
  }
  for (const [personId, bornIds] of moved) await moveIdentifiers(sql, workspaceId, bornIds, personId, seq)
  for (const [was, personId] of renamed) await renamePerson(sql, workspaceId, was, personId, seq)
}

function describe(around: Loaded, { anchor, other }: Claim, judgement: Judgement): Linked {
  const was = (bornId: string) => around.stored.get(bornId) ?? bornId
  const before: [string, string] = [was(anchor.bornId), was(other.bornId)]
  const nothing = { before, entryId: null, movedIds: [] }
  if (judgement.kind === 'refused') return { ...nothing, personId: before[0], outcome: judgement.why }
  if (judgement.kind === 'known') return { ...nothing, personId: before[0], outcome: 'known' }
  const personId = judgement.after.get(anchor.bornId) ?? anchor.bornId
  if (judgement.kind === 'shared') return { ...nothing, personId, outcome: 'shared_device' }
  return { ...nothing, personId, outcome: judgement.entryType === 'merge' ? 'merged' : 'linked' }
}
