import type { IdentityGraph } from '../graph/identity-graph.ts'
import { writeMoves } from '../graph/links.ts'
import { loadNeighbourhood, type Named } from '../graph/neighbourhood.ts'
import { partition } from '../graph/partition.ts'
import type { LedgerTransaction } from '../ledger/transaction.ts'
import type { Finder } from '../profiles/person.ts'
import {
  deleteConditionalOf,
  deletePairsOf,
  deleteRowsOf,
  eraseSubjects,
  insertSuppressions,
} from './erasure-store.ts'

export type Forgotten = { identifiers: number; traits: number; links: number; ledgerEntries: number }

/**
 * Erases a person, given by all their original ids, from everything that this module stores, and suppresses
 * their identifiers from then on. Of the ledger only digests stay, and its chain remains valid. People who
 * shared a device with them are resolved as if they had never existed. May be repeated.
 */
export async function forgetIdentity(
  people: Pick<IdentityGraph, 'take' | 'sightings' | 'now'> & { reversed: () => Promise<void> },
  workspaceId: string,
  originalIds: readonly string[],
  actors: readonly string[],
): Promise<Forgotten> {
  const done = await people.take(workspaceId, (turn) => erase(turn, originalIds, actors, people.now()))
  await people.reversed()
  for (const originalId of originalIds) people.sightings.forget(workspaceId, originalId)
  return done
}

/** Finds the original ids of one of several people to be erased. */
export type FindIds = (within: Finder) => Promise<readonly string[]>

/**
 * The ids of people who are erased together, as if it were done one by one: a device that two of them share
 * belongs to the second once the first is gone. Nothing is written.
 */
export function idsInTurn(
  people: Pick<IdentityGraph, 'dryRun' | 'originalId' | 'sightings' | 'now'>,
  workspaceId: string,
  finds: readonly FindIds[],
): Promise<string[][]> {
  const { originalId, sightings } = people
  return people.dryRun(workspaceId, async (turn) => {
    const found: string[][] = []
    for (const find of finds) {
      const originalIds = [...(await find({ originalId, sightings, control: turn.sql }))]
      found.push(originalIds)
      await erase(turn, originalIds, ['dry run'], people.now())
    }
    return found
  })
}

async function erase(
  transaction: LedgerTransaction,
  originalIds: readonly string[],
  actors: readonly string[],
  nowMs: number,
): Promise<Forgotten> {
  const { sql, workspaceId } = transaction
  await insertSuppressions(sql, workspaceId, originalIds, new Date(nowMs))
  const around = await loadNeighbourhood(sql, workspaceId, originalIds.map(asNamed))
  const gone = new Set(originalIds)
  const nodes = new Map([...around.graph.nodes].filter(([originalId]) => !gone.has(originalId)))
  const links = around.graph.links.filter(({ a, b }) => nodes.has(a) && nodes.has(b))
  const ties = (around.graph.ties ?? []).filter(([a, b]) => nodes.has(a) && nodes.has(b))
  await transaction.append(actors.map(forgottenDraft))
  const done = {
    links: await deletePairsOf(sql, 'identity_links', workspaceId, originalIds),
    identifiers: await deleteRowsOf(sql, 'identifiers', workspaceId, originalIds),
    traits:
      (await deleteRowsOf(sql, 'person_traits', workspaceId, originalIds)) +
      (await deleteConditionalOf(sql, workspaceId, originalIds)),
    ledgerEntries: await eraseSubjects(sql, workspaceId, originalIds),
  }
  await deletePairsOf(sql, 'identity_apart', workspaceId, originalIds)
  await writeMoves(transaction, around, partition({ nodes, links, ties }))
  return done
}

/** Type and time do not matter for known people; unknown ones have no links either. */
function asNamed(originalId: string): Named {
  return { originalId, type: 'person_id', value: originalId, firstSeenMs: 0, isSeen: true }
}

/** That a person was erased, and when; not who. */
function forgottenDraft(actor: string) {
  return {
    type: 'reverse' as const,
    isExplicit: true,
    step: null,
    confidence: null,
    actor,
    reverses: null,
    survivorId: null,
    absorbedId: null,
    a: null,
    b: null,
    reason: 'forgotten',
    triggeringEventId: null,
    moved: null,
  }
}
