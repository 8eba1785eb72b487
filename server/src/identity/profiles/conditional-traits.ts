import { judgeStatement } from '../graph/link-rules.ts'
import { orderedEnds } from '../graph/links.ts'
import { type Loaded, loadEverybodyTied, type Named } from '../graph/neighbourhood.ts'
import type { Link } from '../graph/partition.ts'
import type { LedgerTransaction } from '../ledger/transaction.ts'
import { selectHasMerges } from '../store.ts'
import { type Condition, deleteConditional, selectConditions } from './trait-store.ts'

/**
 * What the acceptance of an identify depends on: null if it would have been accepted anyway, otherwise what
 * came together. Call it after its claims were written, under the same lock.
 */
export async function conditionOf(
  { sql, workspaceId, seq }: LedgerTransaction,
  anchor: Named,
  others: readonly Named[],
): Promise<Condition | null> {
  if (others.length === 0 || !(await selectHasMerges(sql, workspaceId, anchor.originalId))) return null
  const around = await loadEverybodyTied(sql, workspaceId, [anchor, ...others])
  const condition = { originalIds: others.map(({ originalId }) => originalId), seq }
  const stated = around.graph.links.filter(({ isExplicit }) => !isExplicit)
  return holds(around, stated, anchor.originalId, condition) ? null : condition
}

/**
 * Removes traits that depended on links which do not exist any more: they are decided again as at that time,
 * by the links that are still live.
 */
export async function dropUnfounded(
  { sql, workspaceId }: LedgerTransaction,
  around: Loaded,
  inForce: readonly Link[],
): Promise<void> {
  for (const row of await selectConditions(sql, workspaceId, [...around.rows.keys()])) {
    const condition = { originalIds: row.told_with, seq: row.told_seq }
    if (!holds(around, inForce, row.original_id, condition)) await deleteConditional(sql, workspaceId, row)
  }
}

/** Whether the two would have been or become one person by those of the links that existed at that time. */
function holds(
  around: Loaded,
  links: readonly Link[],
  anchorId: string,
  { originalIds, seq }: Condition,
): boolean {
  const then = {
    graph: { ...around.graph, links: links.filter((link) => link.seq <= seq) },
    apart: around.apartSince.filter((apart) => apart.seq <= seq).map(({ pair }) => pair),
    unseen: new Set<string>(),
  }
  return originalIds.every((originalId) => {
    const { kind } = judgeStatement(then, {
      entryId: 'told',
      seq: seq + 1,
      ...orderedEnds(anchorId, originalId),
      entryType: 'link',
      isExplicit: false,
      confidence: 'certain',
    })
    return kind === 'known' || kind === 'joined'
  })
}
