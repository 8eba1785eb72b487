import type { BlockColumn } from './block-column.ts'
import type { GrowingBytes } from './growing-bytes.ts'
import { unread } from './json-bytes.ts'
import { NumberCells } from './number-cells.ts'

const zero = 48
const nine = 57
const minus = 45
const point = 46
/** No safe integer has more. */
const digitsMax = 16

type Form = { type: string; bytes: 1 | 4 | 8; least: number; most: number }

const forms: readonly Form[] = [
  { type: 'UInt8', bytes: 1, least: 0, most: 255 },
  { type: 'UInt32', bytes: 4, least: 0, most: 2 ** 32 - 1 },
  { type: 'UInt64', bytes: 8, least: 0, most: Number.MAX_SAFE_INTEGER },
  { type: 'Int64', bytes: 8, least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER },
]

const nullable = /^Nullable\((.*)\)$/

/** Whole numbers, as the log writes them. */
export class NumberColumn implements BlockColumn {
  readonly name: string
  readonly type: string
  readonly #form: Form
  readonly #cells: NumberCells

  private constructor(name: string, type: string, form: Form) {
    this.name = name
    this.type = type
    this.#form = form
    this.#cells = new NumberCells(form.bytes, nullable.test(type))
  }

  /** Undefined if the type is another one. */
  static of(name: string, type: string): NumberColumn | undefined {
    const own = nullable.exec(type)?.[1] ?? type
    const form = forms.find((one) => one.type === own)
    return form && new NumberColumn(name, type, form)
  }

  read(bytes: Uint8Array, start: number, row: number): number {
    const isNegative = bytes[start] === minus
    const first = isNegative ? start + 1 : start
    let at = first
    let value = 0
    for (let byte = bytes[at] ?? 0; byte >= zero && byte <= nine; byte = bytes[at] ?? 0) {
      value = value * 10 + (byte - zero)
      at += 1
    }
    const digits = at - first
    const isPadded = bytes[first] === zero && (digits > 1 || isNegative)
    if (digits === 0 || digits > digitsMax || isPadded) return unread
    const signed = isNegative ? -value : value
    if (signed < this.#form.least || signed > this.#form.most) return unread
    this.#cells.put(row, signed)
    return at
  }

  write(output: GrowingBytes, rows: number): void {
    this.#cells.write(output, rows)
  }

  clear(): void {
    this.#cells.clear()
  }
}

const scale = 4
/** Eighteen digits in all. */
const wholeDigitsMax = 14

/** `Nullable(Decimal(18, 4))`: amounts have four digits behind the point. */
export class MoneyColumn implements BlockColumn {
  static readonly type = 'Nullable(Decimal(18, 4))'
  readonly name: string
  readonly type = MoneyColumn.type
  readonly #cells = new NumberCells(8, true)

  constructor(name: string) {
    this.name = name
  }

  read(bytes: Uint8Array, start: number, row: number): number {
    const isNegative = bytes[start] === minus
    const first = isNegative ? start + 1 : start
    const pointAt = endOfDigits(bytes, first)
    const end = endOfDigits(bytes, pointAt + 1)
    const digits = pointAt - first
    const isPadded = digits > 1 && bytes[first] === zero
    if (digits === 0 || digits > wholeDigitsMax || isPadded) return unread
    if (bytes[pointAt] !== point || end - pointAt - 1 !== scale) return unread
    const written = String.fromCharCode(
      ...bytes.subarray(first, pointAt),
      ...bytes.subarray(pointAt + 1, end),
    )
    const scaled = BigInt(written)
    this.#cells.putBig(row, isNegative ? -scaled : scaled)
    return end
  }

  write(output: GrowingBytes, rows: number): void {
    this.#cells.write(output, rows)
  }

  clear(): void {
    this.#cells.clear()
  }
}

function endOfDigits(bytes: Uint8Array, start: number): number {
  let at = start
  for (let byte = bytes[at] ?? 0; byte >= zero && byte <= nine; byte = bytes[at] ?? 0) at += 1
  return at
}
