/** A column of one block: numbers of eight bytes as pairs of halves, low first; bytes; or texts by their number. */
export type BlockColumn =
  | { kind: 'pairs'; pairs: Uint32Array }
  | { kind: 'bytes'; bytes: Uint8Array }
  | { kind: 'texts'; texts: readonly string[]; numbers: TextNumbers }

/** As narrow as the number of texts allows. */
export type TextNumbers = Uint8Array | Uint16Array | Uint32Array

export type Block = { rows: number; columns: readonly BlockColumn[] }

/** The blocks of an answer in the store's own format, with columns of these types alone. */
export function readBlocks(bytes: Uint8Array<ArrayBuffer>, types: readonly string[]): Block[] {
  const reader = new BlockReader(bytes)
  const blocks: Block[] = []
  while (!reader.isAtEnd) blocks.push(reader.readBlock(types))
  return blocks
}

const utf8 = new TextDecoder()
/** The only way in which dictionaries are written to a client: each block brings its own. */
const ownKeys = 0x200
const indexBytes = [1, 2, 4] as const

class BlockReader {
  readonly #bytes: Uint8Array<ArrayBuffer>
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  readBlock(types: readonly string[]): Block {
    const columns = this.#readCount()
    const rows = this.#readCount()
    if (columns !== types.length) throw new Error(`a block has ${columns} columns, not ${types.length}`)
    return { rows, columns: types.map((type) => this.#readColumn(type, rows)) }
  }

  #readColumn(type: string, rows: number): BlockColumn {
    const name = this.#readText()
    const given = this.#readText()
    if (given !== type) throw new Error(`column ${name} is of type ${given}, not ${type}`)
    if (type === 'UInt8') return { kind: 'bytes', bytes: this.#take(rows) }
    if (type !== 'LowCardinality(String)')
      return { kind: 'pairs', pairs: new Uint32Array(this.#take(rows * 8).buffer) }
    return rows === 0 ? { kind: 'texts', texts: [], numbers: new Uint8Array(0) } : this.#readTexts(rows)
  }

  #readTexts(rows: number): BlockColumn {
    const version = this.#readLong()
    const form = this.#readLong()
    const width = indexBytes[form & 0xff]
    if (version !== 1 || (form & ownKeys) === 0 || width === undefined)
      throw new Error(`a dictionary of version ${version} and form ${form}`)
    const texts = Array.from({ length: this.#readLong() }, () => this.#readText())
    const indexes = this.#readLong()
    if (indexes !== rows) throw new Error(`a dictionary for ${indexes} rows of ${rows}`)
    const taken = this.#take(rows * width)
    if (width === 1) return { kind: 'texts', texts, numbers: taken }
    const numbers = width === 2 ? new Uint16Array(taken.buffer) : new Uint32Array(taken.buffer)
    return { kind: 'texts', texts, numbers }
  }

  /** A copy, which begins where numbers may begin. */
  #take(length: number): Uint8Array<ArrayBuffer> {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new Error('a block ends too early')
    const taken = this.#bytes.slice(this.#at, end)
    this.#at = end
    return taken
  }

  #readText(): string {
    const length = this.#readCount()
    const start = this.#at
    this.#at += length
    if (this.#at > this.#bytes.length) throw new Error('a block ends too early')
    return utf8.decode(this.#bytes.subarray(start, this.#at))
  }

  #readCount(): number {
    let count = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#view.getUint8(this.#at)
      this.#at += 1
      count += (byte & 0x7f) * scale
      if (byte < 0x80) return count
    }
  }

  #readLong(): number {
    const value = Number(this.#view.getBigUint64(this.#at, true))
    this.#at += 8
    return value
  }
}
