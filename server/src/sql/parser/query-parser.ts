import { readExpression } from './expression-parser.ts'
import { readOrders, readWindow } from './primary-parser.ts'
import type { Expression, Item, Name, Query, Select, With } from './syntax.ts'
import { readJoins, readTableUse } from './table-parser.ts'
import { TokenReader } from './token-reader.ts'

/** Reads one SELECT and nothing else; says where a text stops being one. */
export function parseQuery(text: string): Query {
  const reader = new TokenReader(text, readQuery)
  const query = readQuery(reader)
  reader.takeSign(';')
  if (reader.peek().kind === 'end') return query
  const clause = ['settings', 'format', 'into', 'prewhere', 'sample', 'final', 'fetch'].find((word) =>
    reader.isWord(word),
  )
  if (clause !== undefined) throw reader.refused(`${clause.toUpperCase()} cannot be used`)
  throw reader.unexpected('The end of the query')
}

function readQuery(reader: TokenReader): Query {
  return reader.within(() => {
    let left = readPart(reader)
    for (;;) {
      const operator = readOperator(reader)
      if (operator === null) return left
      left = { kind: 'union', operator, left, right: withShared(queriesOf(left), readPart(reader)) }
    }
  })
}

/** What WITH names before the first SELECT of a union holds for the others, too. */
function withShared(shared: readonly With[], query: Query): Query {
  if (query.kind === 'select') return { ...query, with: [...shared, ...query.with] }
  return { ...query, left: withShared(shared, query.left), right: withShared(shared, query.right) }
}

function queriesOf(query: Query): readonly With[] {
  return query.kind === 'select' ? query.with : queriesOf(query.left)
}

function readOperator(reader: TokenReader): string | null {
  const word = ['union', 'intersect', 'except'].find((one) => reader.takeWords(one))
  if (word === undefined) return null
  if (reader.takeWords('all')) return `${word.toUpperCase()} ALL`
  if (reader.takeWords('distinct') || word !== 'union') return `${word.toUpperCase()} DISTINCT`
  throw reader.unexpected('ALL or DISTINCT')
}

function readPart(reader: TokenReader): Query {
  if (!reader.isSign('(')) return readSelect(reader)
  reader.require('(')
  const query = readQuery(reader)
  reader.require(')')
  return query
}

function readSelect(reader: TokenReader): Select {
  const withs = reader.takeWords('with') ? reader.list(() => readWith(reader)) : []
  if (!reader.takeWords('select')) throw reader.unexpected('SELECT')
  const isDistinct = reader.takeWords('distinct')
  const items = reader.list(() => readItem(reader))
  const from = reader.takeWords('from') ? readTableUse(reader) : null
  const joins = readJoins(reader, from !== null)
  const read = () => readExpression(reader)
  const where = reader.takeWords('where') ? read() : null
  const groupBy = reader.takeWords('group', 'by') ? readGroupBy(reader) : null
  const having = reader.takeWords('having') ? read() : null
  const windows = reader.takeWords('window') ? reader.list(() => readNamedWindow(reader)) : []
  const qualify = reader.takeWords('qualify') ? read() : null
  const orderBy = reader.takeWords('order', 'by') ? readOrders(reader, readExpression) : []
  const limits = readLimits(reader)
  return {
    kind: 'select',
    with: withs,
    isDistinct,
    items,
    from,
    joins,
    where,
    groupBy,
    having,
    windows,
    qualify,
    orderBy,
    ...limits,
  }
}

function readWith(reader: TokenReader): With {
  if (reader.isWord('recursive')) throw reader.refused('WITH RECURSIVE cannot be used')
  if (reader.isName() && reader.isWord('as', 1) && reader.isSign('(', 2)) {
    const name = reader.name()
    reader.requireWord('as')
    reader.require('(')
    const query = readQuery(reader)
    reader.require(')')
    return { kind: 'query', name, query }
  }
  const of = readExpression(reader)
  reader.requireWord('as')
  return { kind: 'value', name: reader.name(), of }
}

function readItem(reader: TokenReader): Item {
  if (reader.takeSign('*')) return { kind: 'star', table: null, except: readExcept(reader) }
  if (reader.isName() && reader.isSign('.', 1) && reader.isSign('*', 2)) {
    const table = reader.name()
    reader.take()
    reader.take()
    return { kind: 'star', table, except: readExcept(reader) }
  }
  const { at } = reader.peek()
  const of = readExpression(reader)
  const source = reader.textSince(at)
  return { kind: 'item', of, alias: readAlias(reader), source }
}

function readExcept(reader: TokenReader): Name[] {
  if (!reader.isWord('except') || reader.isWord('select', 1) || reader.isWord('select', 2)) return []
  reader.take()
  if (!reader.takeSign('(')) return [reader.name()]
  const names = reader.list(() => reader.name())
  reader.require(')')
  return names
}

function readAlias(reader: TokenReader): Name | null {
  return reader.takeWords('as') || reader.isName() ? reader.name() : null
}

function readGroupBy(reader: TokenReader): Select['groupBy'] {
  if (reader.takeWords('grouping', 'sets')) {
    reader.require('(')
    const sets = reader.list(() => readSet(reader))
    reader.require(')')
    return { modifier: 'GROUPING SETS', sets }
  }
  for (const modifier of ['rollup', 'cube']) {
    if (reader.isWord(modifier) && reader.isSign('(', 1)) {
      reader.take()
      return { modifier: modifier.toUpperCase(), sets: [readSet(reader)] }
    }
  }
  const keys = reader.list(() => readExpression(reader))
  for (const modifier of ['rollup', 'cube'])
    if (reader.takeWords('with', modifier)) return { modifier: modifier.toUpperCase(), sets: [keys] }
  return { modifier: '', sets: [keys] }
}

function readSet(reader: TokenReader): Expression[] {
  reader.require('(')
  const keys = reader.isSign(')') ? [] : reader.list(() => readExpression(reader))
  reader.require(')')
  return keys
}

function readNamedWindow(reader: TokenReader): Select['windows'][number] {
  const name = reader.name()
  reader.requireWord('as')
  return { name, window: readWindow(reader, readExpression) }
}

function readLimits(reader: TokenReader): Pick<Select, 'limitBy' | 'limit'> {
  let limitBy: Select['limitBy'] = null
  let limit: Select['limit'] = null
  while (reader.takeWords('limit')) {
    const first = reader.wholeNumber()
    const second = reader.takeSign(',') ? reader.wholeNumber() : null
    const rows = second ?? first
    const offset = second === null ? (reader.takeWords('offset') ? reader.wholeNumber() : '0') : first
    if (limit !== null) throw reader.unexpected('One LIMIT')
    if (limitBy === null && offset === '0' && reader.takeWords('by')) {
      limitBy = { rows, by: reader.list(() => readExpression(reader)) }
    } else limit = { rows, offset }
  }
  if (limit === null && reader.takeWords('offset')) throw reader.refused('OFFSET needs a LIMIT before it')
  return { limitBy, limit }
}
