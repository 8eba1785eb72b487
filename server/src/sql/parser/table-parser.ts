import { readExpression } from './expression-parser.ts'
import type { Join, Table, TableUse } from './syntax.ts'
import type { TokenReader } from './token-reader.ts'

const strictnesses = ['any', 'all', 'semi', 'anti', 'asof']
const sides = ['inner', 'left', 'right', 'full', 'cross']

export function readTableUse(reader: TokenReader): TableUse {
  const table = readTable(reader)
  const hasAlias = reader.takeWords('as') || reader.isName()
  return { table, alias: hasAlias ? reader.name() : null }
}

function readTable(reader: TokenReader): Table {
  if (reader.takeSign('(')) {
    const query = reader.readQuery(reader)
    reader.require(')')
    return { kind: 'derived', query }
  }
  const name = reader.name()
  if (reader.isSign('.')) throw reader.refused('A table has no database before its name')
  if (!reader.takeSign('(')) return { kind: 'named', name }
  if (name.value.toLowerCase() !== 'numbers') {
    throw reader.refused(
      `“${name.value}” cannot be used as a table; the only function here is numbers`,
      name.at,
    )
  }
  const args = reader.list(() => reader.wholeNumber())
  reader.require(')')
  if (args.length > 2) throw reader.refused('numbers takes one or two whole numbers', name.at)
  return { kind: 'numbers', args }
}

export function readJoins(reader: TokenReader, hasTable: boolean): Join[] {
  const joins: Join[] = []
  for (;;) {
    const join = readJoin(reader, hasTable)
    if (join === null) return joins
    joins.push(join)
  }
}

function readJoin(reader: TokenReader, hasTable: boolean): Join | null {
  const isLeftArray = reader.isWord('left') && reader.isWord('array', 1)
  if (isLeftArray || reader.isWord('array')) return readArrayJoin(reader, isLeftArray)
  if (!hasTable) return null
  if (reader.takeSign(',')) {
    return { kind: 'join', how: 'CROSS', right: readTableUse(reader), on: null, using: [] }
  }
  const words: string[] = []
  while ([...strictnesses, ...sides, 'outer'].some((word) => reader.isWord(word))) {
    words.push(reader.take().value.toLowerCase())
  }
  if (words.length === 0 && !reader.isWord('join')) return null
  reader.requireWord('join')
  const strictness = words.filter((word) => strictnesses.includes(word))
  const side = words.filter((word) => sides.includes(word))
  if (strictness.length > 1 || side.length > 1) throw reader.refused('One kind of join at a time')
  const how = [...side, ...strictness].join(' ').toUpperCase()
  const right = readTableUse(reader)
  if (how === 'CROSS') return { kind: 'join', how, right, on: null, using: [] }
  if (reader.takeWords('on')) return { kind: 'join', how, right, on: readExpression(reader), using: [] }
  reader.requireWord('using')
  const isInParentheses = reader.takeSign('(')
  const using = reader.list(() => reader.name())
  if (isInParentheses) reader.require(')')
  return { kind: 'join', how, right, on: null, using }
}

function readArrayJoin(reader: TokenReader, isLeft: boolean): Join {
  if (isLeft) reader.take()
  reader.requireWord('array')
  reader.requireWord('join')
  const items = reader.list(() => {
    const of = readExpression(reader)
    return { of, alias: reader.takeWords('as') ? reader.name() : null }
  })
  return { kind: 'arrayJoin', isLeft, items }
}
