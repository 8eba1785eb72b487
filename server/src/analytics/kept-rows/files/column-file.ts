import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'

const columnTypes = {
  Int8Array,
  Uint8Array,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float64Array,
  BigInt64Array,
}
type ColumnType = keyof typeof columnTypes
type Column = InstanceType<(typeof columnTypes)[ColumnType]>

/** A value of which the columns are numbers; they follow it, byte by byte. */
type Text = { value: unknown; columns: readonly (readonly [type: ColumnType, length: number])[] }

/** What a column is called in the text. */
const columnName = '$column'
/** How long the text is, its checksum, and that of the columns. */
const prefixBytes = 12

/** Writes values one after the other: plain data, with columns anywhere in it. */
export class ColumnWriter {
  readonly #file: number

  constructor(path: string) {
    this.#file = openSync(path, 'wx', 0o600)
  }

  write(value: object): void {
    // bounded: by the value.
    const numbers = new Map<Column, number>()
    const numbered = withNumbers(value, numbers)
    const columns = [...numbers.keys()]
    const text: Text = { value: numbered, columns: columns.map((one) => [typeOf(one), one.length]) }
    const bytes = Buffer.from(JSON.stringify(text))
    const prefix = Buffer.alloc(prefixBytes)
    prefix.writeUInt32LE(bytes.length, 0)
    prefix.writeUInt32LE(crc32(bytes), 4)
    prefix.writeUInt32LE(
      columns.reduce((sum, one) => crc32(bytesOf(one), sum), 0),
      8,
    )
    for (const piece of [prefix, bytes, ...columns.map(bytesOf)]) this.#put(piece)
  }

  close(): void {
    closeSync(this.#file)
  }

  #put(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at)
  }
}

/** Reads the values of a file again; throws at the first that is not as it was written. */
export function* readColumns(path: string): Generator<unknown> {
  const file = openSync(path, 'r')
  try {
    let left = fstatSync(file).size
    while (left > 0) {
      const { value, bytes } = readValue(file, left)
      left -= bytes
      yield value
    }
  } finally {
    closeSync(file)
  }
}

function readValue(file: number, bytesMax: number): { value: unknown; bytes: number } {
  const prefix = fill(file, Buffer.alloc(prefixBytes))
  const textBytes = prefix.readUInt32LE(0)
  if (textBytes > bytesMax) throw new Error('the file is shorter than it says')
  const bytes = fill(file, Buffer.alloc(textBytes))
  if (crc32(bytes) !== prefix.readUInt32LE(4)) throw new Error('the text is not as it was written')
  // boundary: it is what was written here.
  const { value, columns } = JSON.parse(bytes.toString()) as Text
  const filled = columns.map(([type, length]) => new columnTypes[type](length))
  const sum = filled.reduce((before, column) => crc32(fill(file, bytesOf(column)), before), 0)
  if (sum !== prefix.readUInt32LE(8)) throw new Error('the columns are not as they were written')
  const size = filled.reduce((total, { byteLength }) => total + byteLength, prefixBytes + textBytes)
  return { value: withColumns(value, filled), bytes: size }
}

/** A column that is there twice is written once. */
function withNumbers(value: unknown, numbers: Map<Column, number>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => withNumbers(one, numbers))
  if (!isColumn(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withNumbers(one, numbers)]))
  const number = numbers.get(value) ?? numbers.size
  numbers.set(value, number)
  return { [columnName]: number }
}

function withColumns(value: unknown, columns: readonly Column[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => withColumns(one, columns))
  const number: unknown = Reflect.get(value, columnName)
  if (typeof number === 'number') return columns[number]
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withColumns(one, columns)]))
}

function fill<Bytes extends Uint8Array>(file: number, bytes: Bytes): Bytes {
  for (let at = 0; at < bytes.length; ) {
    const read = readSync(file, bytes, at, bytes.length - at, null)
    if (read === 0) throw new Error('the file ends too early')
    at += read
  }
  return bytes
}

const isColumn = (value: unknown): value is Column => ArrayBuffer.isView(value)

function typeOf(column: Column): ColumnType {
  const { name } = column.constructor
  // boundary: one of the names of the table.
  if (name in columnTypes) return name as ColumnType
  throw new Error(`no column is a ${name}`)
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Column) => new Uint8Array(buffer, byteOffset, byteLength)
