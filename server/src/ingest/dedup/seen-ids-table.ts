/**
 * At most two slots in three are used: a miss then costs about five adjacent slots, mostly one cache line.
 */
export const slotsPerId = 1.5
const slotsFirst = 1_024
const payloadMask = 255
const generationShift = 8
const twoTo32 = 4_294_967_296

/**
 * A hash table of 64-bit ids in typed arrays: 10 bytes per slot, and no objects for the garbage collector.
 * Each id has one byte for the caller and its generation. An id is at or after its home slot, which is
 * proportional to `hi`, so slots are nearly sorted by `hi`: growing and sweeping walk through memory in one
 * direction. Both words 0 mark an empty slot, and the caller ensures that no such id is passed.
 */
export class IdTable {
  #count = 0
  #leaving = -1
  #slotsSwept = 0
  #slots: number
  #slotsPerHi: number
  readonly #slotsMax: number
  /** `hi` and `lo`, interleaved. */
  #keys: Uint32Array
  /** Generation and payload in one number, because a second array would cost a second cache miss. */
  #notes: Uint16Array

  constructor(idsMax: number) {
    this.#slotsMax = Math.ceil(idsMax * slotsPerId) + 1
    this.#slots = Math.min(slotsFirst, this.#slotsMax)
    this.#slotsPerHi = this.#slots / twoTo32
    this.#keys = new Uint32Array(this.#slots * 2)
    this.#notes = new Uint16Array(this.#slots)
  }

  get count(): number {
    return this.#count
  }

  get slots(): number {
    return this.#slots
  }

  get bytes(): number {
    return this.#keys.byteLength + this.#notes.byteLength
  }

  /** The payload, or -1. */
  get(hi: number, lo: number): number {
    const slot = this.#find(hi, lo)
    return slot < 0 ? -1 : (this.#notes[slot] ?? 0) & payloadMask
  }

  /** Returns the generation of the id: a known one gets the payload and stays in its own. */
  set(hi: number, lo: number, payload: number, generation: number): number {
    const slot = this.#find(hi, lo)
    if (slot >= 0) {
      const note = this.#notes[slot] ?? 0
      this.#notes[slot] = (note & ~payloadMask) | payload
      return note >>> generationShift
    }
    const isTight = (this.#count + 1) * slotsPerId > this.#slots && this.#slots < this.#slotsMax
    if (isTight) this.reserve(this.#count + 1)
    this.#put(isTight ? ~this.#find(hi, lo) : ~slot, hi, lo, (generation << generationShift) | payload)
    this.#count += 1
    return generation
  }

  /** Makes space for this many ids, at least doubling, up to the maximum of the table. */
  reserve(ids: number): void {
    const needed = Math.min(Math.ceil(ids * slotsPerId), this.#slotsMax)
    if (needed <= this.#slots) return
    const keys = this.#keys
    const notes = this.#notes
    this.#slots = Math.min(Math.max(needed, this.#slots * 2), this.#slotsMax)
    this.#slotsPerHi = this.#slots / twoTo32
    this.#keys = new Uint32Array(this.#slots * 2)
    this.#notes = new Uint16Array(this.#slots)
    this.#slotsSwept = 0
    for (let slot = 0; slot < notes.length; slot += 1) {
      const hi = keys[slot * 2] ?? 0
      const lo = keys[slot * 2 + 1] ?? 0
      if (hi === 0 && lo === 0) continue
      this.#put(~this.#find(hi, lo), hi, lo, notes[slot] ?? 0)
    }
  }

  /** The generation the id was in, or -1. */
  delete(hi: number, lo: number): number {
    const slot = this.#find(hi, lo)
    if (slot < 0) return -1
    const generation = (this.#notes[slot] ?? 0) >>> generationShift
    this.#vacate(slot)
    return generation
  }

  /** From now on `sweep` removes the ids of this generation. */
  beginSweep(generation: number): void {
    this.#leaving = generation
    this.#slotsSwept = 0
  }

  get isSweeping(): boolean {
    return this.#leaving >= 0
  }

  /** Checks the next slots and passes on the ids that it removes. */
  sweep(slots: number, leave: (hi: number, lo: number) => void): void {
    const keys = this.#keys
    const notes = this.#notes
    const end = Math.min(this.#slotsSwept + slots, this.#slots)
    for (let slot = this.#slotsSwept; slot < end; slot += 1) {
      // What fills the gap comes from further on, so this slot is checked until its id may stay.
      while ((notes[slot] ?? 0) >>> generationShift === this.#leaving && !this.#isEmpty(slot)) {
        leave(keys[slot * 2] ?? 0, keys[slot * 2 + 1] ?? 0)
        this.#vacate(slot)
      }
    }
    this.#slotsSwept = end
    if (end === this.#slots) this.#leaving = -1
  }

  /** Empties a slot and moves up the ids after it that could not be found behind the gap. */
  #vacate(vacated: number): void {
    const keys = this.#keys
    let gap = vacated
    for (let slot = this.#after(gap); !this.#isEmpty(slot); slot = this.#after(slot)) {
      const hi = keys[slot * 2] ?? 0
      const isFoundWithGap = this.#distance(this.#home(hi), slot) < this.#distance(gap, slot)
      if (isFoundWithGap) continue
      this.#put(gap, hi, keys[slot * 2 + 1] ?? 0, this.#notes[slot] ?? 0)
      // An id that is still to be removed may have moved to where the sweep has been.
      if (gap < this.#slotsSwept && slot >= this.#slotsSwept) this.#slotsSwept = gap
      gap = slot
    }
    this.#put(gap, 0, 0, 0)
    this.#count -= 1
  }

  /** The id's slot, or the complement of the empty slot where it belongs. */
  #find(hi: number, lo: number): number {
    const keys = this.#keys
    const slots = this.#slots
    let slot = this.#home(hi)
    for (;;) {
      const slotHi = keys[slot * 2]
      const slotLo = keys[slot * 2 + 1]
      if (slotHi === hi && slotLo === lo) return slot
      if (slotHi === 0 && slotLo === 0) return ~slot
      slot += 1
      if (slot === slots) slot = 0
    }
  }

  #put(slot: number, hi: number, lo: number, note: number): void {
    this.#keys[slot * 2] = hi
    this.#keys[slot * 2 + 1] = lo
    this.#notes[slot] = note
  }

  #home(hi: number): number {
    return (hi * this.#slotsPerHi) >>> 0
  }

  #after(slot: number): number {
    return slot + 1 === this.#slots ? 0 : slot + 1
  }

  #isEmpty(slot: number): boolean {
    return this.#keys[slot * 2] === 0 && this.#keys[slot * 2 + 1] === 0
  }

  #distance(from: number, to: number): number {
    return to >= from ? to - from : to - from + this.#slots
  }
}
