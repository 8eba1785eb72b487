/** How many characters must be put in, taken out or changed to make one text of the other (Levenshtein). */
export function editDistance(a: string, b: string): number {
  if (a === b) return 0
  const row = Uint16Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let at = 1; at <= a.length; at++) {
    let diagonal = row[0] ?? 0
    row[0] = at
    for (let to = 1; to <= b.length; to++) {
      const above = row[to] ?? 0
      const changed = diagonal + (a.charCodeAt(at - 1) === b.charCodeAt(to - 1) ? 0 : 1)
      row[to] = Math.min(above + 1, (row[to - 1] ?? 0) + 1, changed)
      diagonal = above
    }
  }
  return row[b.length] ?? 0
}
