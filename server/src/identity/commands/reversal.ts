import { type Moved, Problem } from '@assay/contract'
import type { Sql } from '../../store/control.ts'
import { changedIds, writeMoves } from '../graph/links.ts'
import { type Loaded, loadEverybodyTied, type Named } from '../graph/neighbourhood.ts'
import type { Link } from '../graph/partition.ts'
import { type LedgerRow, markReversed, selectEntry } from '../ledger/ledger-store.ts'
import type { EntryDraft, LedgerTransaction } from '../ledger/transaction.ts'
import { dropUnfounded } from '../profiles/conditional-traits.ts'
import { countTraits } from '../profiles/trait-store.ts'
import { deleteApart, deleteLinks, insertApart, selectIdentifiers } from '../store.ts'
import { builtOn, planReversal, type Reversal } from './reversal-plan.ts'

export type ReversalRequest = {
  entryId: string
  reason: string
  keepApart: boolean
  cascade: boolean
  actor: string
  /** Events and outcomes of the identifiers that move. */
  counted: Pick<Moved, 'events' | 'outcomes'>
}

type Reversed = {
  /** The first one is the reversal itself. */
  drafts: [EntryDraft, ...EntryDraft[]]
  personIds: string[]
  reversed: string[]
  stillJoinedBy: string[]
}

type Plan = Reversed & {
  movedIds: readonly string[]
  entry: LedgerRow
  around: Loaded | null
  reversal: Reversal | null
}

async function planFor(sql: Sql, workspaceId: string, request: ReversalRequest): Promise<Plan> {
  const entry = await requireReversible(sql, workspaceId, request.entryId)
  const ends = [entry.a, entry.b].filter((end) => end !== null)
  const around = await loadEverybodyTied(sql, workspaceId, await asNamed(sql, workspaceId, ends))
  const link = around.graph.links.find(({ entryId }) => entryId === entry.id)
  if (link === undefined) return liftingPlan(entry, request)
  const dependants = builtOn(around.graph, link)
  if (dependants.length > 0 && !request.cascade) throw builtUpon(dependants)
  const reversal = planReversal(around.graph, [link, ...dependants])
  const movedIds = changedIds(reversal.before, reversal.after)
  const moved: Moved = {
    identifiers: movedIds.length,
    traits: movedIds.length === 0 ? 0 : await countTraits(sql, workspaceId, movedIds),
    ...request.counted,
  }
  return {
    entry,
    around,
    reversal,
    movedIds,
    drafts: draftsOf(reversal, link, request, moved),
    personIds: peopleOf(reversal.after, reversal.reversed),
    reversed: reversal.reversed.map(({ entryId }) => entryId),
    stillJoinedBy: reversal.stillJoinedBy.map(({ entryId }) => entryId),
  }
}

async function requireReversible(sql: Sql, workspaceId: string, id: string): Promise<LedgerRow> {
  const entry = await selectEntry(sql, workspaceId, id)
  if (entry === null) throw new Problem('not-found', { detail: 'There is no such entry in the ledger.' })
  if (entry.reversed_by !== null) {
    throw new Problem('conflict', {
      detail: `This entry was reversed already, by ${entry.reversed_by}.`,
      members: { reversed_by: entry.reversed_by },
    })
  }
  if (entry.type === 'reverse') {
    throw new Problem('conflict', {
      detail: 'A reversal is not reversed. Merge the two people again, or reverse its keep_apart entry.',
    })
  }
  if (entry.salt === null) {
    throw new Problem('conflict', { detail: 'The person in this entry was erased.' })
  }
  return entry
}

function builtUpon(dependants: readonly Link[]): Problem {
  const ids = dependants.map(({ entryId }) => entryId)
  return new Problem('conflict', {
    detail: `Later merges were built on this one: ${ids.join(', ')}. Reverse them first, or all at once with cascade.`,
    members: { built_on_it: ids },
  })
}

async function asNamed(sql: Sql, workspaceId: string, ends: readonly string[]): Promise<Named[]> {
  const rows = await selectIdentifiers(sql, workspaceId, ends)
  return rows.map((row) => ({
    originalId: row.original_id,
    type: row.type,
    value: row.value ?? '',
    firstSeenMs: row.first_seen_at.getTime(),
    isSeen: true,
  }))
}

/** A keep_apart entry has no link: reversing it only allows the two to be merged again. */
function liftingPlan(entry: LedgerRow, { reason, actor }: ReversalRequest): Plan {
  const draft: EntryDraft = {
    type: 'reverse',
    isExplicit: true,
    step: null,
    confidence: null,
    actor,
    reverses: entry.id,
    survivorId: entry.survivor_id,
    absorbedId: entry.absorbed_id,
    a: entry.a ?? '',
    b: entry.b ?? '',
    reason,
    triggeringEventId: null,
    moved: null,
  }
  const personIds = [entry.survivor_id, entry.absorbed_id].filter((id) => id !== null)
  return {
    entry,
    around: null,
    reversal: null,
    movedIds: [],
    drafts: [draft],
    personIds,
    reversed: [entry.id],
    stillJoinedBy: [],
  }
}

function draftsOf(
  { after, reversed }: Reversal,
  first: Link,
  { reason, actor, keepApart }: ReversalRequest,
  moved: Moved,
): [EntryDraft, ...EntryDraft[]] {
  const draft = (link: Link, type: 'reverse' | 'keep_apart'): EntryDraft => ({
    type,
    isExplicit: true,
    step: null,
    confidence: null,
    actor,
    reverses: type === 'reverse' ? link.entryId : null,
    survivorId: after.get(link.a) ?? link.a,
    absorbedId: after.get(link.b) ?? link.b,
    a: link.a,
    b: link.b,
    reason,
    triggeringEventId: null,
    moved: link === first && type === 'reverse' ? moved : null,
  })
  const parted = keepApart ? reversed.filter(({ a, b }) => after.get(a) !== after.get(b)) : []
  const others = reversed.filter((link) => link !== first)
  return [
    draft(first, 'reverse'),
    ...others.map((link) => draft(link, 'reverse')),
    ...parted.map((link) => draft(link, 'keep_apart')),
  ]
}

function peopleOf(after: ReadonlyMap<string, string>, links: readonly Link[]): string[] {
  return [...new Set(links.flatMap(({ a, b }) => [after.get(a) ?? a, after.get(b) ?? b]))].sort()
}

export async function applyReversal(
  transaction: LedgerTransaction,
  request: ReversalRequest,
): Promise<Plan & { row: LedgerRow }> {
  const { sql, workspaceId } = transaction
  const plan = await planFor(sql, workspaceId, request)
  const rows = await transaction.append(plan.drafts)
  for (const row of rows) {
    if (row.reverses !== null) await markReversed(sql, workspaceId, row.reverses, row.id)
    if (row.type === 'keep_apart' && row.a !== null && row.b !== null) {
      await insertApart(sql, workspaceId, { entry_id: row.id, a: row.a, b: row.b })
    }
  }
  const [row] = rows
  if (row === undefined) throw new Error('a reversal has at least one entry')
  if (plan.around === null || plan.reversal === null) await deleteApart(sql, workspaceId, plan.entry.id)
  else {
    await deleteLinks(sql, workspaceId, plan.reversed)
    await writeMoves(transaction, plan.around, plan.reversal.after)
    const { reversed } = plan.reversal
    const inForce = plan.around.graph.links.filter((link) => !reversed.includes(link))
    await dropUnfounded(transaction, plan.around, inForce)
  }
  return { ...plan, row }
}
