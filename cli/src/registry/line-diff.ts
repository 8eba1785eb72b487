type DiffLine = { mark: ' ' | '+' | '-'; text: string }

/** A contract of 100,000 bytes has some thousand lines; a larger table would take too long. */
const linesMax = 3_000
/** Unchanged lines shown around a change, as usual in diffs. */
const contextLines = 2

/** Lines to remove and to add to turn one text into the other, with some context. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [before, after].map((text) => text.trimEnd().split('\n'))
  if (old === undefined || fresh === undefined) return []
  if (old.length > linesMax || fresh.length > linesMax) {
    return [...old.map((text) => line('-', text)), ...fresh.map((text) => line('+', text))]
  }
  return nearChanges(walk(old, fresh, commonLengths(old, fresh)))
}

const line = (mark: DiffLine['mark'], text: string): DiffLine => ({ mark, text })

/** Length of the longest common subsequence from each pair of positions on. */
function commonLengths(old: readonly string[], fresh: readonly string[]): Uint16Array[] {
  const table = Array.from({ length: old.length + 1 }, () => new Uint16Array(fresh.length + 1))
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      const [row, next] = [table[i], table[i + 1]]
      if (row === undefined || next === undefined) continue
      row[j] = old[i] === fresh[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return table
}

function walk(old: readonly string[], fresh: readonly string[], common: readonly Uint16Array[]): DiffLine[] {
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < fresh.length) {
    const [left, right] = [old[i], fresh[j]]
    if (left !== undefined && left === right) {
      lines.push(line(' ', left))
      i++
      j++
    } else if (
      left !== undefined &&
      (right === undefined || (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))
    ) {
      lines.push(line('-', left))
      i++
    } else if (right !== undefined) {
      lines.push(line('+', right))
      j++
    }
  }
  return lines
}

function nearChanges(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - contextLines), at + contextLines + 1).some(({ mark }) => mark !== ' ')
  return lines.filter((_, at) => isNear(at))
}
