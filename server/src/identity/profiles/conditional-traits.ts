import { judgeStatement } from '../graph/link-rules.ts'
import { orderedEnds } from '../graph/links.ts'
import { type Loaded, loadEverybodyTied, type Named } from '../graph/neighbourhood.ts'
import type { Link } from '../graph/partition.ts'
import type { LedgerTransaction } from '../ledger/transaction.ts'
import { selectHasMerges } from '../store.ts'
import { type Condition, deleteConditional, selectConditions } from './trait-store.ts'

/**
 * On what it hangs that an identify was taken: null where it would have been taken anyway, else what came together. To
 * be asked after its claims were written down, in the same turn.
 */
export async function conditionOf(
  { sql, workspaceId, seq }: LedgerTransaction,
  anchor: Named,
  others: readonly Named[],
): Promise<Condition | null> {
  if (others.length === 0 || !(await selectHasMerges(sql, workspaceId, anchor.bornId))) return null
  const around = await loadEverybodyTied(sql, workspaceId, [anchor, ...others])
  const condition = { bornIds: others.map(({ bornId }) => bornId), seq }
  const stated = around.graph.links.filter(({ isExplicit }) => !isExplicit)
  return holds(around, stated, anchor.bornId, condition) ? null : condition
}

/**
 * Takes away what was told because of links that are no more: it is judged again as it would have been judged then, by
 * those links that are still in force.
 */
export async function dropUnfounded(
  { sql, workspaceId }: LedgerTransaction,
  around: Loaded,
  inForce: readonly Link[],
): Promise<void> {
  for (const row of await selectConditions(sql, workspaceId, [...around.rows.keys()])) {
    const condition = { bornIds: row.told_with, seq: row.told_seq }
    if (!holds(around, inForce, row.born_id, condition)) await deleteConditional(sql, workspaceId, row)
  }
}

/** Whether the two would have become one person, or been one, by these of the links that were there at that time. */
function holds(
  around: Loaded,
  links: readonly Link[],
  anchorId: string,
  { bornIds, seq }: Condition,
): boolean {
  const then = {
    graph: { ...around.graph, links: links.filter((link) => link.seq <= seq) },
    apart: around.apartSince.filter((apart) => apart.seq <= seq).map(({ pair }) => pair),
    unseen: new Set<string>(),
  }
  return bornIds.every((bornId) => {
    const { kind } = judgeStatement(then, {
      entryId: 'told',
      seq: seq + 1,
      ...orderedEnds(anchorId, bornId),
      entryType: 'link',
      isExplicit: false,
      confidence: 'certain',
    })
    return kind === 'known' || kind === 'joined'
  })
}
