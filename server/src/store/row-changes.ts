import type { Events, QueryParams } from './events.ts'

/** What the engine says of a change that it ended for the sake of another statement. */
const isEnded = (error: unknown) => error instanceof Error && /Cancelled mutating parts/.test(error.message)

/** Far more than other statements come in its way. */
const triesMax = 20

/**
 * Changes or deletes rows of a table, and resolves when every part is written again. To drop a partition, also one that
 * is not there, ends the changes of the same table that are under way: files are cleared after one person was forgotten
 * while the rows of another are deleted. Then it is asked for again, which is safe: it says how rows are to be.
 */
export async function changeRows(events: Events, change: string, params: QueryParams): Promise<void> {
  for (let left = triesMax; ; left -= 1) {
    try {
      await events.command(`${change} SETTINGS mutations_sync = 2`, params)
      return
    } catch (error) {
      if (left === 0 || !isEnded(error)) throw error
    }
  }
}
