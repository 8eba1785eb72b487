import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { appendRange, emptyTable, type Range, type RangeTable } from './range-table.ts'

/** Reads in pieces, so that a 12 MB table is never in memory as text. Larger pieces were not faster. */
const pieceBytes = 262_144

const newline = 10
const comma = 44
const colon = 58

/** Just under the mean of the packaged tables (24.6 and 58.3), so that only other tables need to grow. */
const lineBytes = { 4: 24, 6: 56 } as const

/** Reads sorted `first,last,country` lines: IPv4 bounds as numbers, IPv6 bounds as addresses. */
export function readRangeFile(file: string, version: 4 | 6, isWanted: (range: Range) => boolean): RangeTable {
  const descriptor = openSync(file, 'r')
  try {
    const table = emptyTable(version, Math.ceil(fstatSync(descriptor).size / lineBytes[version]))
    readPieces(descriptor, version === 4 ? readNumber : readFirstHalf, (range) => {
      if (isWanted(range)) appendRange(table, range)
    })
    return table
  } finally {
    closeSync(descriptor)
  }
}

function readPieces(descriptor: number, read: BoundReader, take: (range: Range) => void): void {
  const piece = Buffer.allocUnsafe(pieceBytes)
  let kept = 0
  for (;;) {
    const bytes = readSync(descriptor, piece, kept, pieceBytes - kept, null)
    const end = kept + bytes
    if (bytes === 0) {
      readLines(piece, endLastLine(piece, end), read, take)
      return
    }
    const used = readLines(piece, end, read, take)
    piece.copyWithin(0, used, end)
    // A line that fills a whole piece is not valid; without this check the loop would not advance.
    kept = end - used === pieceBytes ? 0 : end - used
  }
}

/**
 * The last line may lack its newline. The piece always has space, since a full one was skipped as invalid.
 */
function endLastLine(piece: Buffer, end: number): number {
  piece[end] = newline
  return end + 1
}

/** Reads one bound from `position` on into the cursor, up to the comma behind it. */
type BoundReader = (piece: Buffer, position: number, bound: Cursor) => void
type Cursor = { position: number; high: number; low: number }

/** Reads all whole lines and returns where the rest begins. */
function readLines(piece: Buffer, end: number, read: BoundReader, take: (range: Range) => void): number {
  const bound: Cursor = { position: 0, high: 0, low: 0 }
  const range: Range = { firstHigh: 0, firstLow: 0, lastHigh: 0, lastLow: 0, country: 0 }
  const linesEnd = piece.lastIndexOf(newline, end - 1) + 1
  let position = 0
  while (position < linesEnd) {
    read(piece, position, bound)
    range.firstHigh = bound.high
    range.firstLow = bound.low
    if (piece[bound.position] === comma) read(piece, bound.position + 1, bound)
    range.lastHigh = bound.high
    range.lastLow = bound.low
    position = bound.position
    if (piece[position] === comma) {
      range.country = ((piece[position + 1] ?? 0) << 8) | (piece[position + 2] ?? 0)
      // Anything but two capital letters is a heading, a comment or a damaged line.
      if (isCapital(range.country >>> 8) && isCapital(range.country & 0xff)) take(range)
    }
    while (piece[position] !== newline) position++
    position++
  }
  return linesEnd
}

function isCapital(byte: number): boolean {
  return byte >= 65 && byte <= 90
}

function readNumber(piece: Buffer, from: number, bound: Cursor): void {
  let value = 0
  let position = from
  for (
    let byte = piece[position] ?? comma;
    byte !== comma && byte !== newline;
    byte = piece[++position] ?? comma
  ) {
    value = value * 10 + (byte - 48)
  }
  bound.position = position
  bound.high = value
  bound.low = 0
}

const groups = new Uint16Array(8)

/** The first 64 bits of an IPv6 address; the groups behind a `::` belong at the end of the eight. */
function readFirstHalf(piece: Buffer, from: number, bound: Cursor): void {
  let count = 0
  let gap = 8
  let group = 0
  let wasColon = false
  let position = from
  for (
    let byte = piece[position] ?? comma;
    byte !== comma && byte !== newline;
    byte = piece[++position] ?? comma
  ) {
    if (byte !== colon) {
      group = (group << 4) | (byte <= 57 ? byte - 48 : (byte | 32) - 87)
      wasColon = false
    } else if (wasColon) gap = count
    else {
      groups[count++ & 7] = group
      group = 0
      wasColon = true
    }
  }
  if (!wasColon) groups[count++ & 7] = group
  const zeros = gap === 8 ? 0 : 8 - count
  bound.position = position
  bound.high = groupAt(0, gap, zeros) * 0x10000 + groupAt(1, gap, zeros)
  bound.low = groupAt(2, gap, zeros) * 0x10000 + groupAt(3, gap, zeros)
}

function groupAt(index: number, gap: number, zeros: number): number {
  if (index < gap) return groups[index] ?? 0
  return index < gap + zeros ? 0 : (groups[index - zeros] ?? 0)
}
