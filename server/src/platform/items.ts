export type ItemFailure<T = unknown> = (error: unknown, item: T) => void | Promise<void>

/** Runs the work for each item; a failure is reported and does not stop the others. */
export async function forEachItem<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
  onFailure: ItemFailure<T>,
): Promise<void> {
  for (const item of items) {
    try {
      await work(item)
    } catch (error) {
      await onFailure(error, item)
    }
  }
}
