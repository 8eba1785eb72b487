import type { Branch, Call, Expression, Name, Order, Window } from './syntax.ts'
import type { TokenReader } from './token-reader.ts'
import { readType } from './type-name.ts'

type Read = (reader: TokenReader) => Expression

const units: ReadonlySet<string> = new Set([
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'month',
  'quarter',
  'year',
])
/** What EXTRACT and INTERVAL take, with the function that has the part of a time. */
const extracted: Readonly<Record<string, string>> = {
  second: 'toSecond',
  minute: 'toMinute',
  hour: 'toHour',
  day: 'toDayOfMonth',
  month: 'toMonth',
  quarter: 'toQuarter',
  year: 'toYear',
}

/** A value, a column, a call, or anything in parentheses. */
export function readPrimary(reader: TokenReader, read: Read): Expression {
  const { kind, value, at } = reader.peek()
  if (kind === 'number') return { kind: 'number', text: reader.take().value }
  if (kind === 'string') return { kind: 'string', value: reader.take().value }
  if (reader.isSign('(')) return readParentheses(reader, read)
  if (reader.takeSign('[')) {
    const items = reader.isSign(']') ? [] : reader.list(() => read(reader))
    reader.require(']')
    return { kind: 'array', items }
  }
  const special = kind === 'word' ? readSpecial(reader, read, value.toLowerCase()) : null
  if (special !== null) return special
  // Names that begin a clause elsewhere are functions before a parenthesis.
  if (kind === 'word' && reader.isSign('(', 1) && /^(?:any|left|right|mod|array)$/i.test(value)) {
    reader.take()
    return readCall(reader, read, { value, at })
  }
  const parts = [reader.name()]
  if (reader.isSign('(')) return readCall(reader, read, { value, at })
  while (reader.isSign('.') && ['word', 'quoted'].includes(reader.peek(1).kind)) {
    reader.take()
    const part = reader.take()
    parts.push({ value: part.value, at: part.at })
  }
  if (reader.isSign('('))
    throw reader.refused(`“${parts.map((part) => part.value).join('.')}” is no function`, at)
  return { kind: 'column', parts }
}

function readParentheses(reader: TokenReader, read: Read): Expression {
  reader.require('(')
  if (reader.isWord('select') || reader.isWord('with')) {
    const query = reader.readQuery(reader)
    reader.require(')')
    return { kind: 'subquery', query, isExists: false }
  }
  const items = [read(reader)]
  let isTuple = false
  while (reader.takeSign(',')) {
    isTuple = true
    if (!reader.isSign(')')) items.push(read(reader))
  }
  reader.require(')')
  const [only] = items
  return isTuple || only === undefined ? { kind: 'tuple', items } : only
}

function readSpecial(reader: TokenReader, read: Read, word: string): Expression | null {
  if (reader.takeWords('null')) return { kind: 'word', word: 'NULL' }
  if (reader.takeWords('true')) return { kind: 'word', word: 'true' }
  if (reader.takeWords('false')) return { kind: 'word', word: 'false' }
  if (reader.takeWords('case')) return readCase(reader, read)
  if (reader.takeWords('interval')) return readInterval(reader, read)
  if (reader.takeWords('exists')) {
    reader.require('(')
    const query = reader.readQuery(reader)
    reader.require(')')
    return { kind: 'subquery', query, isExists: true }
  }
  const isCall = reader.isSign('(', 1)
  if (word === 'cast' && isCall) return readCast(reader, read)
  if (word === 'extract' && isCall && reader.isWord('from', 3)) return readExtract(reader, read)
  if ((word === 'date' || word === 'timestamp') && reader.peek(1).kind === 'string') {
    reader.take()
    const type = word === 'date' ? 'Date' : 'DateTime'
    return { kind: 'cast', of: { kind: 'string', value: reader.take().value }, type }
  }
  return null
}

function readCase(reader: TokenReader, read: Read): Expression {
  const of = reader.isWord('when') ? null : read(reader)
  const branches: Branch[] = []
  while (reader.takeWords('when')) {
    const when = read(reader)
    reader.requireWord('then')
    branches.push({ when, result: read(reader) })
  }
  if (branches.length === 0) throw reader.unexpected('WHEN')
  const otherwise = reader.takeWords('else') ? read(reader) : null
  reader.requireWord('end')
  return { kind: 'case', of, branches, otherwise }
}

function readInterval(reader: TokenReader, read: Read): Expression {
  const { kind } = reader.peek()
  if (kind !== 'number' && !reader.isSign('(')) throw reader.unexpected('A number, as in INTERVAL 7 DAY,')
  const of = readPrimary(reader, read)
  const { value, at } = reader.take()
  const unit = value.toLowerCase().replace(/s$/, '')
  if (!units.has(unit)) throw reader.refused(`“${value}” is no unit: ${[...units].join(', ')}`, at)
  return { kind: 'interval', of, unit: unit.toUpperCase() }
}

function readCast(reader: TokenReader, read: Read): Expression {
  reader.take()
  reader.require('(')
  const of = read(reader)
  reader.requireWord('as')
  const type = readType(reader)
  reader.require(')')
  return { kind: 'cast', of, type }
}

function readExtract(reader: TokenReader, read: Read): Expression {
  const at = reader.take().at
  reader.require('(')
  const unit = reader.take()
  const value = extracted[unit.value.toLowerCase()]
  if (value === undefined) throw reader.refused(`“${unit.value}” is no part of a time`, unit.at)
  reader.requireWord('from')
  const of = read(reader)
  reader.require(')')
  return { ...noCall, name: { value, at }, args: [of] }
}

const noCall = { kind: 'call', parameters: null, isDistinct: false, filter: null, over: null } as const

function readCall(reader: TokenReader, read: Read, name: Name): Call {
  reader.require('(')
  const first = readArguments(reader, read)
  const isParametric = reader.takeSign('(')
  const { args, isDistinct } = isParametric ? readArguments(reader, read) : first
  if (isParametric && (first.args === '*' || first.isDistinct)) throw reader.unexpected('a parameter')
  let filter: Expression | null = null
  if (reader.takeWords('filter')) {
    reader.require('(')
    reader.requireWord('where')
    filter = read(reader)
    reader.require(')')
  }
  const parameters = isParametric && first.args !== '*' ? first.args : null
  return { kind: 'call', name, parameters, args, isDistinct, filter, over: readOver(reader, read) }
}

function readArguments(reader: TokenReader, read: Read): Pick<Call, 'args' | 'isDistinct'> {
  if (reader.takeSign(')')) return { args: [], isDistinct: false }
  if (reader.isSign('*') && reader.isSign(')', 1)) {
    reader.take()
    reader.take()
    return { args: '*', isDistinct: false }
  }
  const isDistinct = reader.takeWords('distinct')
  const args = reader.list(() => read(reader))
  reader.require(')')
  return { args, isDistinct }
}

function readOver(reader: TokenReader, read: Read): Call['over'] {
  if (!reader.takeWords('over')) return null
  return reader.isSign('(') ? readWindow(reader, read) : reader.name()
}

export function readWindow(reader: TokenReader, read: Read): Window {
  reader.require('(')
  const partitionBy = reader.takeWords('partition', 'by') ? reader.list(() => read(reader)) : []
  const orderBy = reader.takeWords('order', 'by') ? readOrders(reader, read) : []
  const frame = readFrame(reader)
  reader.require(')')
  return { kind: 'window', partitionBy, orderBy, frame }
}

function readFrame(reader: TokenReader): string | null {
  const unit = ['rows', 'range'].find((word) => reader.takeWords(word))
  if (unit === undefined) return null
  if (!reader.takeWords('between')) return `${unit.toUpperCase()} ${readBound(reader)}`
  const from = readBound(reader)
  reader.requireWord('and')
  return `${unit.toUpperCase()} BETWEEN ${from} AND ${readBound(reader)}`
}

function readBound(reader: TokenReader): string {
  if (reader.takeWords('current', 'row')) return 'CURRENT ROW'
  const amount = reader.takeWords('unbounded') ? 'UNBOUNDED' : reader.wholeNumber()
  for (const side of ['preceding', 'following'])
    if (reader.takeWords(side)) return `${amount} ${side.toUpperCase()}`
  throw reader.unexpected('PRECEDING or FOLLOWING')
}

export function readOrders(reader: TokenReader, read: Read): Order[] {
  return reader.list(() => {
    const of = read(reader)
    const isDescending = reader.takeWords('desc')
    if (!isDescending) reader.takeWords('asc')
    const nulls = reader.takeWords('nulls', 'first')
      ? 'FIRST'
      : reader.takeWords('nulls', 'last')
        ? 'LAST'
        : null
    return { of, isDescending, nulls }
  })
}
