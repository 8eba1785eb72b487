import { readPrimary } from './primary-parser.ts'
import type { Among, Expression } from './syntax.ts'
import type { TokenReader } from './token-reader.ts'
import { readType } from './type-name.ts'

const comparisons: ReadonlySet<string> = new Set(['=', '==', '!=', '<>', '<', '<=', '>', '>='])

/** Any expression; each level of precedence is a function that reads the next tighter one. */
export function readExpression(reader: TokenReader): Expression {
  return reader.within(() => {
    const lambda = readLambda(reader)
    if (lambda !== null) return lambda
    const condition = readOr(reader)
    if (!reader.takeSign('?')) return condition
    const result = readExpression(reader)
    reader.require(':')
    const otherwise = readExpression(reader)
    return { kind: 'case', of: null, branches: [{ when: condition, result }], otherwise }
  })
}

function readLambda(reader: TokenReader): Expression | null {
  if (reader.isName() && reader.isSign('->', 1)) {
    const parameters = [reader.name()]
    reader.require('->')
    return { kind: 'lambda', parameters, body: readExpression(reader) }
  }
  if (!reader.isSign('(')) return null
  let ahead = 1
  while (reader.isName(ahead) && reader.isSign(',', ahead + 1)) ahead += 2
  if (!reader.isName(ahead) || !reader.isSign(')', ahead + 1) || !reader.isSign('->', ahead + 2)) return null
  reader.require('(')
  const parameters = reader.list(() => reader.name())
  reader.require(')')
  reader.require('->')
  return { kind: 'lambda', parameters, body: readExpression(reader) }
}

function readOr(reader: TokenReader): Expression {
  let left = readAnd(reader)
  while (reader.takeWords('or')) left = { kind: 'binary', operator: 'OR', left, right: readAnd(reader) }
  return left
}

function readAnd(reader: TokenReader): Expression {
  let left = readNot(reader)
  while (reader.takeWords('and')) left = { kind: 'binary', operator: 'AND', left, right: readNot(reader) }
  return left
}

function readNot(reader: TokenReader): Expression {
  if (!reader.takeWords('not')) return readComparison(reader)
  return reader.within(() => ({ kind: 'unary', operator: 'NOT', of: readNot(reader) }))
}

function readComparison(reader: TokenReader): Expression {
  let left = readConcat(reader)
  for (;;) {
    const next = readComparedTo(reader, left)
    if (next === null) return left
    left = next
  }
}

function readComparedTo(reader: TokenReader, left: Expression): Expression | null {
  const { kind, value } = reader.peek()
  if (kind === 'sign' && comparisons.has(value)) {
    reader.take()
    return { kind: 'binary', operator: value, left, right: readConcat(reader) }
  }
  if (reader.takeWords('is')) {
    const isNegated = reader.takeWords('not')
    reader.requireWord('null')
    return { kind: 'isNull', of: left, isNegated }
  }
  const isNegated =
    reader.isWord('not') && ['in', 'like', 'ilike', 'between'].some((word) => reader.isWord(word, 1))
  if (isNegated) reader.take()
  if (reader.takeWords('between')) {
    const from = readConcat(reader)
    reader.requireWord('and')
    return { kind: 'between', of: left, from, to: readConcat(reader), isNegated }
  }
  for (const word of ['like', 'ilike']) {
    if (!reader.takeWords(word)) continue
    const operator = `${isNegated ? 'NOT ' : ''}${word.toUpperCase()}`
    if (reader.peek().kind !== 'string') throw reader.unexpected('A text in quotes as the pattern')
    return { kind: 'binary', operator, left, right: readConcat(reader) }
  }
  if (reader.takeWords('in')) return { kind: 'in', of: left, among: readAmong(reader), isNegated }
  return null
}

function readAmong(reader: TokenReader): Among {
  const isArray = reader.isSign('[')
  if (!isArray && !reader.isSign('(')) throw reader.unexpected('“(” with values or a SELECT')
  reader.take()
  if (!isArray && (reader.isWord('select') || reader.isWord('with'))) {
    const query = reader.readQuery(reader)
    reader.require(')')
    return { kind: 'query', query }
  }
  const items = reader.list(() => readExpression(reader))
  reader.require(isArray ? ']' : ')')
  return { kind: 'values', items }
}

function readConcat(reader: TokenReader): Expression {
  let left = readSum(reader)
  while (reader.takeSign('||')) left = { kind: 'binary', operator: '||', left, right: readSum(reader) }
  return left
}

function readSum(reader: TokenReader): Expression {
  let left = readProduct(reader)
  while (reader.isSign('+') || reader.isSign('-')) {
    const operator = reader.take().value
    left = { kind: 'binary', operator, left, right: readProduct(reader) }
  }
  return left
}

function readProduct(reader: TokenReader): Expression {
  let left = readSigned(reader)
  for (;;) {
    const isSign = ['*', '/', '%'].some((one) => reader.isSign(one))
    if (!isSign && !reader.isWord('div') && !reader.isWord('mod')) return left
    const operator = reader.take().value.toUpperCase()
    left = { kind: 'binary', operator, left, right: readSigned(reader) }
  }
}

function readSigned(reader: TokenReader): Expression {
  if (reader.takeSign('+')) return reader.within(() => readSigned(reader))
  if (!reader.takeSign('-')) return readPostfix(reader)
  return reader.within(() => ({ kind: 'unary', operator: '-', of: readSigned(reader) }))
}

function readPostfix(reader: TokenReader): Expression {
  let of = readPrimary(reader, readExpression)
  for (;;) {
    if (reader.takeSign('[')) {
      const index = readExpression(reader)
      reader.require(']')
      of = { kind: 'subscript', of, index }
    } else if (reader.takeSign('::')) of = { kind: 'cast', of, type: readType(reader) }
    else if (reader.isSign('.') && reader.peek(1).kind === 'number') {
      reader.take()
      of = { kind: 'element', of, index: reader.wholeNumber() }
    } else return of
  }
}
