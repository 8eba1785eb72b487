import type { Condition, FilterValue } from '@assay/contract'
import { everyLeaf } from '../../store/filters/condition-sql.ts'
import { isPathPattern, pathTest, placeholdersIn, placeholdersMax } from '../../store/filters/path-pattern.ts'
import type { Chunk, RowText } from '../tally/chunk.ts'
import { filterRows } from '../tally/chunk-rows.ts'
import type { RowNumbers } from '../tally/row-numbers.ts'
import { rowFlags } from '../tally/row-store.ts'

type Comparison = Extract<Condition, { kind: 'compare' }>

/** The dimensions of events that rows have. */
const columns: Readonly<Partial<Record<string, RowText>>> = {
  event: 'name',
  page: 'path',
  source: 'source',
  channel: 'channel',
  'utm.campaign': 'campaign',
  country: 'country',
  device: 'device',
}
const operators = ['is', 'isNot', 'isSet', 'isNotSet']
/** These fold letters, which every library does alike for those of English. */
const foldingOperators = ['contains', 'notContains', 'startsWith']
/** With more of them a comparison takes long; the store looks for all at once. */
const partsMax = 20
const english = /^[\x20-\x7e]+$/
/** Letters elsewhere that some libraries fold into one of English. */
const foldedApart = /[\u0130\u017f\u212a]/

/** The store has to be asked. */
export class NotInRows extends Error {
  override readonly name = 'NotInRows'
}

/** Whether rows have what the condition asks for. */
export function isRowCondition(condition: Condition): boolean {
  return everyLeaf(condition, (leaf) => leaf.kind === 'compare' && columnOf(leaf) !== null)
}

function columnOf({ op, dimension, values }: Comparison): RowText | null {
  if (dimension.of === 'person' || dimension.kind !== 'column') return null
  const isFolded =
    foldingOperators.includes(op) &&
    values.length <= partsMax &&
    values.every((value) => english.test(String(value)))
  if (!isFolded && !operators.includes(op)) return null
  const placeholders = values.reduce<number>((sum, value) => sum + placeholdersIn(String(value)), 0)
  if (dimension.type === 'path' && placeholders > placeholdersMax) return null
  return columns[dimension.name] ?? null
}

/** 1 for each row of a chunk that fits. */
export type RowFitter = (chunk: Chunk) => Uint8Array

/** Texts repeat, on all days: each is compared once for a question, whatever there is to compare it with. */
export function rowFitter(numbers: RowNumbers, conditions: readonly Condition[]): RowFitter {
  return fitterOf(numbers, { kind: 'and', of: conditions })
}

function fitterOf(numbers: RowNumbers, condition: Condition): RowFitter {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const isAnd = condition.kind === 'and'
      const parts = condition.of.map((part) => fitterOf(numbers, part))
      return (chunk) => {
        const found = new Uint8Array(chunk.count).fill(isAnd ? 1 : 0)
        for (const part of parts) join(found, part(chunk), isAnd)
        return found
      }
    }
    case 'not': {
      const part = fitterOf(numbers, condition.of)
      return (chunk) => {
        const found = part(chunk)
        for (let row = 0; row < found.length; row += 1) found[row] = (found[row] ?? 0) ^ 1
        return found
      }
    }
    case 'compare':
      return comparing(numbers, condition)
    default:
      throw new Error('rows do not have this')
  }
}

function join(found: Uint8Array, part: Uint8Array, isAnd: boolean): void {
  for (let row = 0; row < found.length; row += 1) {
    const [one, other] = [found[row] ?? 0, part[row] ?? 0]
    found[row] = isAnd ? one & other : one | other
  }
}

function comparing(numbers: RowNumbers, condition: Comparison): RowFitter {
  const column = columnOf(condition)
  if (column === null) throw new Error('rows do not have this')
  const isFit = testOf(condition)
  const fitting = Uint8Array.from(numbers.texts[column].texts, (text) => (isFit(text) ? 1 : 0))
  return ({ count, texts }) => {
    const own = texts[column]
    const found = new Uint8Array(count)
    for (let row = 0; row < found.length; row += 1) found[row] = fitting[own[row] ?? 0] ?? 0
    return found
  }
}

/** As `comparisonSql` has it in SQL. */
function testOf({ op, dimension, values }: Comparison): (text: string) => boolean {
  const type = 'type' in dimension ? dimension.type : 'text'
  const isOne = isOneOf(values, type)
  switch (op) {
    case 'is':
      return isOne
    case 'isNot':
      return (text) => !isOne(text)
    case 'contains':
      return folding(values, (text, part) => text.includes(part))
    case 'notContains': {
      const contains = folding(values, (text, part) => text.includes(part))
      return (text) => !contains(text)
    }
    case 'startsWith':
      return folding(values, (text, part) => text.startsWith(part))
    case 'isSet':
      return (text) => text !== ''
    default:
      return (text) => text === ''
  }
}

function folding(
  values: readonly FilterValue[],
  fits: (text: string, part: string) => boolean,
): (text: string) => boolean {
  const parts = values.map((value) => String(value).toLowerCase())
  return (text) => {
    if (foldedApart.test(text)) throw new NotInRows(text)
    const folded = text.toLowerCase()
    return parts.some((part) => fits(folded, part))
  }
}

function isOneOf(values: readonly FilterValue[], type: string): (text: string) => boolean {
  const texts = values.map((one) => (type === 'code' ? String(one).toUpperCase() : String(one)))
  const patterns = type === 'path' ? texts.filter(isPathPattern) : []
  const plain = new Set(texts.filter((one) => !patterns.includes(one)))
  const tests = patterns.map(pathTest)
  return (text) => plain.has(text) || tests.some((fits) => fits(text))
}

export function countFitting(isFit: Uint8Array): number {
  let count = 0
  for (let row = 0; row < isFit.length; row += 1) count += isFit[row] ?? 0
  return count
}

/**
 * The rows of the visits in which at least one row fits, and rows without a visit that fit: as `visitsOf` has them in
 * SQL. Only those that fit match.
 */
export function visitChunks(chunks: readonly Chunk[], sessions: number, fitter: RowFitter): Chunk[] {
  const isVisited = new Uint8Array(sessions)
  const fitting = chunks.map(fitter)
  for (const [index, { session, count }] of chunks.entries()) {
    const isFit = fitting[index] ?? nothing
    for (let row = 0; row < count; row += 1) if (isFit[row] === 1) isVisited[session[row] ?? -1] = 1
  }
  return chunks.map((chunk, index) => {
    const isFit = fitting[index] ?? nothing
    const isTaken = (row: number) => {
      const session = chunk.session[row] ?? -1
      return session === -1 ? isFit[row] === 1 : isVisited[session] === 1
    }
    return filterRows({ ...chunk, flags: matching(chunk.flags, isFit) }, isTaken)
  })
}

const nothing = new Uint8Array(0)

function matching(flags: Uint8Array, isFit: Uint8Array): Uint8Array {
  const found = flags.slice()
  for (let row = 0; row < found.length; row += 1)
    if (isFit[row] !== 1) found[row] = (found[row] ?? 0) & ~rowFlags.match
  return found
}
