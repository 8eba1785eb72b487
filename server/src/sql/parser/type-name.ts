import type { TokenReader } from './token-reader.ts'

const plainTypes = [
  'String',
  'Bool',
  'UUID',
  'Date',
  'Date32',
  'DateTime',
  'Float32',
  'Float64',
  ...[8, 16, 32, 64, 128, 256].flatMap((bits) => [`Int${bits}`, `UInt${bits}`]),
]
const wrappers = ['Nullable', 'Array', 'Tuple', 'Map']

const known: ReadonlyMap<string, string> = new Map(
  [...plainTypes, ...wrappers, 'DateTime64', 'Decimal'].map((name) => [name.toLowerCase(), name]),
)

/** The type behind `::` and in CAST, written again. */
export function readType(reader: TokenReader): string {
  const { value, kind, at } = reader.take()
  const name = kind === 'word' ? known.get(value.toLowerCase()) : undefined
  if (name === undefined)
    throw reader.refused(`“${value}” is no type here: ${[...known.values()].join(', ')}`, at)
  if (wrappers.includes(name)) {
    reader.require('(')
    const inner = reader.within(() => reader.list(() => readType(reader)))
    reader.require(')')
    return `${name}(${inner.join(', ')})`
  }
  if (name !== 'Decimal' && name !== 'DateTime64') return name
  reader.require('(')
  const numbers = reader.list(() => reader.wholeNumber())
  reader.require(')')
  return `${name}(${numbers.join(', ')})`
}
