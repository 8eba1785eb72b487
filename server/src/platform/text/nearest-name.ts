/** The known name that is most like another one; undefined if none is. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  // A third of its letters may differ.
  const most = Math.max(1, Math.floor(name.length / 3))
  const near = [...known]
    .map((one) => ({ one, steps: stepsBetween(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ steps }) => steps <= most)
    .sort((first, second) => first.steps - second.steps)
  return near[0]?.one
}

/** How many letters have to be added, dropped, replaced or swapped with the next. */
function stepsBetween(from: string, to: string): number {
  const cut = [from.slice(0, lettersMax), to.slice(0, lettersMax)] as const
  let [before, last]: [number[], number[]] = [
    [],
    Array.from({ length: cut[1].length + 1 }, (_, index) => index),
  ]
  for (let row = 1; row <= cut[0].length; row += 1) {
    const next = [row]
    for (let column = 1; column <= cut[1].length; column += 1) {
      const isSame = cut[0][row - 1] === cut[1][column - 1]
      const isSwapped =
        row > 1 &&
        column > 1 &&
        cut[0][row - 1] === cut[1][column - 2] &&
        cut[0][row - 2] === cut[1][column - 1]
      next.push(
        Math.min(
          (next[column - 1] ?? 0) + 1,
          (last[column] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    ;[before, last] = [last, next]
  }
  return last[cut[1].length] ?? 0
}

/** Names are shorter; whatever is longer is cut before it is compared. */
const lettersMax = 100
