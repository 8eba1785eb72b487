import { setImmediate } from 'node:timers/promises'

type Rows = {
  columns: { name: string; type: string }[]
  rows: unknown[][]
  isTruncated: boolean
}

/** Rows that are read before others have their turn. */
const rowsAtOnce = 200
const longNumber = /\d{16}/

/** Reads names, types and rows, one a line; leaves out what is beyond the bounds. */
export async function readRows(
  answer: Buffer,
  { rowsMax, bytesMax }: { rowsMax: number; bytesMax: number },
  nameOf: (column: string) => string,
): Promise<Rows> {
  const lines = linesOf(answer)
  const names = textsIn(lines.next().value)
  const types = textsIn(lines.next().value)
  const columns = names.map((name, index) => ({ name: nameOf(name), type: types[index] ?? '' }))
  const rows: unknown[][] = []
  let bytes = 0
  for (const line of lines) {
    bytes += line.length
    if (rows.length >= rowsMax || bytes > bytesMax) return { columns, rows, isTruncated: true }
    rows.push(rowIn(line.toString()))
    if (rows.length % rowsAtOnce === 0) await setImmediate()
  }
  return { columns, rows, isTruncated: false }
}

function* linesOf(answer: Buffer): Generator<Buffer, undefined> {
  let from = 0
  while (from < answer.length) {
    const end = answer.indexOf(10, from)
    const to = end < 0 ? answer.length : end
    if (to > from) yield answer.subarray(from, to)
    from = to + 1
  }
}

function textsIn(line: Buffer | undefined): string[] {
  const parsed: unknown = line === undefined ? [] : JSON.parse(line.toString())
  return Array.isArray(parsed) ? parsed.map(String) : []
}

function rowIn(line: string): unknown[] {
  const parsed: unknown = longNumber.test(line) ? JSON.parse(line, exactly) : JSON.parse(line)
  return Array.isArray(parsed) ? parsed : []
}

/** A whole number that a double cannot hold stays as it is written. */
function exactly(_key: string, value: unknown, context?: { source?: string }): unknown {
  const isInexact = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
  return isInexact ? (context?.source ?? value) : value
}
