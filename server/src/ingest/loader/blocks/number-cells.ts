import type { GrowingBytes } from './growing-bytes.ts'

const rowsFirst = 256
const twoTo32 = 2 ** 32

/** Numbers of a fixed size by row, the lowest byte first; a row that was left out is 0, or null. */
export class NumberCells {
  readonly #size: 1 | 4 | 8
  readonly #isNullable: boolean
  #values: DataView
  #nulls = new Uint8Array(rowsFirst).fill(1)
  #rows = 0

  constructor(size: 1 | 4 | 8, isNullable: boolean) {
    this.#size = size
    this.#isNullable = isNullable
    this.#values = new DataView(new ArrayBuffer(rowsFirst * size))
  }

  put(row: number, value: number): void {
    this.#take(row)
    if (this.#size === 1) this.#values.setUint8(row, value)
    else if (this.#size === 4) this.#values.setUint32(row * 4, value, true)
    else {
      const high = Math.floor(value / twoTo32)
      this.#values.setUint32(row * 8, value - high * twoTo32, true)
      this.#values.setInt32(row * 8 + 4, high, true)
    }
  }

  /** Only for cells of eight bytes. */
  putBig(row: number, value: bigint): void {
    this.#take(row)
    this.#values.setBigInt64(row * 8, value, true)
  }

  #take(row: number): void {
    while (row >= this.#nulls.length) this.#grow()
    if (this.#isNullable) this.#nulls[row] = 0
    this.#rows = row + 1
  }

  /** Rows come one after the other, but a column may be left out in many. */
  #grow(): void {
    const rows = this.#nulls.length * 2
    const values = new Uint8Array(rows * this.#size)
    values.set(this.#bytes())
    const nulls = new Uint8Array(rows).fill(1)
    nulls.set(this.#nulls)
    this.#values = new DataView(values.buffer)
    this.#nulls = nulls
  }

  #bytes(): Uint8Array {
    return new Uint8Array(this.#values.buffer)
  }

  write(output: GrowingBytes, rows: number): void {
    const left = rows - this.#rows
    if (this.#isNullable) {
      output.copy(this.#nulls, 0, this.#rows)
      output.copy(new Uint8Array(left).fill(1), 0, left)
    }
    output.copy(this.#bytes(), 0, this.#rows * this.#size)
    output.zeros(left * this.#size)
  }

  clear(): void {
    this.#bytes().fill(0, 0, this.#rows * this.#size)
    this.#nulls.fill(1, 0, this.#rows)
    this.#rows = 0
  }
}
