/** Rows of a list where the caller does not say how many. */
export const pageDefault = 50

/** A page, of which one row beyond the limit was read, and the cursor of the next page if there is one. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => string,
): { page: Row[]; next: string | null } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { page, next: rows.length > limit && last !== undefined ? cursorOf(last) : null }
}
