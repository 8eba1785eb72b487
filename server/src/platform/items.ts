export type ItemFailure<T = unknown> = (error: unknown, item: T) => void | Promise<void>

/** Does the work for each; what fails for one is reported and does not keep the next one waiting. */
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
