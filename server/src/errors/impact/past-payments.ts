import type { EventRows } from '../../analytics/tally/event-rows.ts'

/** Bytes of one total: the key of a person, the time of a payment, what they had paid by then. */
const totalBytes = 24

/** What people had paid before a time, by the running totals that the store gives, in the order of people and time. */
export class PastPayments {
  readonly #view: DataView
  /** The totals of each person: the first, and the one after the last. */
  readonly #first: Int32Array
  readonly #end: Int32Array

  constructor(totals: Uint8Array, rows: Pick<EventRows, 'people' | 'personNumber'>) {
    this.#view = new DataView(totals.buffer, totals.byteOffset, totals.byteLength)
    this.#first = new Int32Array(rows.people)
    this.#end = new Int32Array(rows.people)
    for (let index = 0; index * totalBytes < totals.byteLength; index += 1) {
      const at = index * totalBytes
      const person = rows.personNumber(this.#view.getUint32(at, true), this.#view.getUint32(at + 4, true))
      if (person === -1) continue
      if (this.#end[person] === 0) this.#first[person] = index
      this.#end[person] = index + 1
    }
  }

  /** The total of a person before this time; 0 where nothing was paid. */
  before(person: number, ms: number): number {
    const first = this.#first[person] ?? 0
    let [low, high] = [first, this.#end[person] ?? 0]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#view.getFloat64(middle * totalBytes + 8, true) < ms) low = middle + 1
      else high = middle
    }
    return low === first ? 0 : this.#view.getFloat64((low - 1) * totalBytes + 16, true)
  }
}
