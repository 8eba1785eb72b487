import type { Control } from '../../store/control.ts'
import { LedgerTransaction, type World } from './transaction.ts'

/** Work under the lock of a workspace's ledger. */
export type Turn<T> = (transaction: LedgerTransaction) => Promise<T>

type LedgerQueue = {
  take: <T>(workspaceId: string, turn: Turn<T>) => Promise<T>
}

/** Work items per transaction: enough that the cost of a commit is small for each. */
const turnsPerTransaction = 50
/** Concurrent workspaces; each uses a connection of the pool, which has ten. */
const transactionsMax = 3

type Waiting = { turn: Turn<unknown>; resolve: (value: unknown) => void; reject: (cause: unknown) => void }

/**
 * Changes of links are serialised, on this node by this queue and among nodes by the lock on the ledger's
 * head: nothing is lost, no one is merged twice, and there are no deadlocks. Waiting items share one
 * transaction.
 */
export function createLedgerQueue(
  control: Control,
  world: World,
  afterwards: (workspaceId: string) => Promise<void>,
): LedgerQueue {
  // bounded: by the requests that are being answered.
  const waiting = new Map<string, Waiting[]>()
  // bounded: by transactionsMax.
  const busy = new Set<string>()

  function next(): void {
    for (const [workspaceId, queue] of waiting) {
      if (busy.size >= transactionsMax) return
      if (busy.has(workspaceId)) continue
      const group = queue.splice(0, turnsPerTransaction)
      if (queue.length === 0) waiting.delete(workspaceId)
      busy.add(workspaceId)
      void run(workspaceId, group).finally(() => {
        busy.delete(workspaceId)
        next()
      })
    }
  }

  async function run(workspaceId: string, group: readonly Waiting[]): Promise<void> {
    const alone = group.length === 1
    try {
      const { values, hasWritten } = await together(workspaceId, group)
      if (hasWritten) await afterwards(workspaceId)
      for (const [index, one] of group.entries()) settle(one, values[index])
    } catch (cause) {
      if (alone) return group[0]?.reject(cause)
      // One of them failed and rolled back the transaction; run alone, only that one fails.
      for (const one of group) await run(workspaceId, [one])
    }
  }

  async function together(workspaceId: string, group: readonly Waiting[]) {
    return control.transaction(async (sql) => {
      const transaction = await LedgerTransaction.begin(sql, workspaceId, world)
      const values: unknown[] = []
      for (const { turn } of group) values.push(await turn(transaction))
      await transaction.finish()
      return { values, hasWritten: transaction.hasWritten }
    })
  }

  return {
    take<T>(workspaceId: string, turn: Turn<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        // boundary: the result has the type of its promise; the queue contains work of all types.
        const settle = (value: unknown) => resolve(value as T)
        const queue = waiting.get(workspaceId) ?? []
        queue.push({ turn, resolve: settle, reject })
        waiting.set(workspaceId, queue)
        next()
      })
    },
  }
}

function settle({ resolve }: Waiting, value: unknown): void {
  resolve(value)
}
