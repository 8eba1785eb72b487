const bytesFirst = 4_096
/** Up to this length a loop is quicker than the call that copies. */
const loopBytesMax = 48

/** Bytes that are appended to; the buffer is used again after `clear`. */
export class GrowingBytes {
  length = 0
  #bytes = new Uint8Array(bytesFirst)

  clear(): void {
    this.length = 0
  }

  view(): Uint8Array {
    return this.#bytes.subarray(0, this.length)
  }

  at(position: number): number {
    return this.#bytes[position] ?? 0
  }

  zeros(count: number): void {
    this.#reserve(count)
    this.#bytes.fill(0, this.length, this.length + count)
    this.length += count
  }

  /** ClickHouse's variable-length number: seven bits a byte, the lowest first. */
  varint(value: number): void {
    this.#reserve(5)
    let rest = value
    for (; rest > 127; rest >>>= 7) this.#bytes[this.length++] = (rest & 127) | 128
    this.#bytes[this.length++] = rest
  }

  copy(source: Uint8Array, start: number, end: number): void {
    const count = end - start
    this.#reserve(count)
    const bytes = this.#bytes
    if (count > loopBytesMax) bytes.set(source.subarray(start, end), this.length)
    else for (let at = start, to = this.length; at < end; at += 1, to += 1) bytes[to] = source[at] ?? 0
    this.length += count
  }

  /** As a text of ClickHouse's: its length, then its bytes. */
  text(source: Uint8Array, start: number, end: number): void {
    this.varint(end - start)
    this.copy(source, start, end)
  }

  #reserve(count: number): void {
    const needed = this.length + count
    if (needed <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2))
    grown.set(this.view())
    this.#bytes = grown
  }
}
