/**
 * Ranges of addresses and their countries in columns: bounds as two 32-bit halves, a country as its two
 * letters in one number. The 550,000 ranges of the packaged tables take 7.5 MB this way, as objects about 60
 * MB.
 */
export interface RangeTable {
  length: number
  firstHigh: Uint32Array
  /** IPv4 has no low halves; these two columns are empty then, and read as 0. */
  firstLow: Uint32Array
  lastHigh: Uint32Array
  lastLow: Uint32Array
  country: Uint16Array
}

export interface Range {
  firstHigh: number
  firstLow: number
  lastHigh: number
  lastLow: number
  country: number
}

export function emptyTable(version: 4 | 6, room: number): RangeTable {
  const lowRoom = version === 4 ? 0 : room
  return {
    length: 0,
    firstHigh: new Uint32Array(room),
    firstLow: new Uint32Array(lowRoom),
    lastHigh: new Uint32Array(room),
    lastLow: new Uint32Array(lowRoom),
    country: new Uint16Array(room),
  }
}

/** Ranges come in order. A table that is too small grows by half. */
export function appendRange(table: RangeTable, range: Range): void {
  const { length } = table
  if (length === table.country.length) grow(table, Math.ceil(length * 1.5) + 1)
  table.firstHigh[length] = range.firstHigh
  table.lastHigh[length] = range.lastHigh
  if (table.firstLow.length > 0) {
    table.firstLow[length] = range.firstLow
    table.lastLow[length] = range.lastLow
  }
  table.country[length] = range.country
  table.length = length + 1
}

function grow(table: RangeTable, room: number): void {
  const lowRoom = table.firstLow.length === 0 ? 0 : room
  table.firstHigh = copyColumn(table.firstHigh, new Uint32Array(room))
  table.firstLow = copyColumn(table.firstLow, new Uint32Array(lowRoom))
  table.lastHigh = copyColumn(table.lastHigh, new Uint32Array(room))
  table.lastLow = copyColumn(table.lastLow, new Uint32Array(lowRoom))
  table.country = copyColumn(table.country, new Uint16Array(room))
}

function copyColumn<Column extends Uint32Array | Uint16Array>(from: Column, to: Column): Column {
  to.set(from)
  return to
}

/** The two letters of the range that holds the address, or empty. */
export function findCountry(table: RangeTable, high: number, low: number): string {
  let from = 0
  let to = table.length
  while (from < to) {
    const middle = (from + to) >>> 1
    const middleHigh = table.firstHigh[middle] ?? 0
    const isAfter = middleHigh === high ? (table.firstLow[middle] ?? 0) > low : middleHigh > high
    if (isAfter) to = middle
    else from = middle + 1
  }
  const index = from - 1
  if (index < 0) return ''
  const lastHigh = table.lastHigh[index] ?? 0
  const isInside = lastHigh === high ? (table.lastLow[index] ?? 0) >= low : lastHigh > high
  const letters = isInside ? (table.country[index] ?? 0) : 0
  return letters === 0 ? '' : String.fromCharCode(letters >>> 8, letters & 0xff)
}
