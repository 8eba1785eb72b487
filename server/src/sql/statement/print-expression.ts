import { propertySql } from '../../store/filters/dimension-sql.ts'
import type { Call, Expression, Name, Order, Query, Window } from '../parser/syntax.ts'
import { allowedFunction } from './functions.ts'
import { nameSql, textSql } from './literals.ts'
import type { Scope } from './scope.ts'

type Print = (expression: Expression, scope: Scope) => string
type PrintQuery = (query: Query, scope: Scope) => string

/** An expression as SQL of the store, each part of it in parentheses or between commas. */
export function printer(printQuery: PrintQuery) {
  const print = (expression: Expression, scope: Scope): string => {
    const of = (one: Expression) => print(one, scope)
    const all = (ones: readonly Expression[]) => ones.map(of).join(', ')
    switch (expression.kind) {
      case 'number':
        return numberSql(expression.text)
      case 'string':
        return textSql(expression.value)
      case 'word':
        return expression.word
      case 'column':
        return columnSql(expression.parts, scope)
      case 'call':
        return callSql(expression, scope, print)
      case 'lambda':
        return `((${expression.parameters.map(({ value }) => nameSql(value)).join(', ')}) -> ${of(expression.body)})`
      case 'binary':
        return binarySql(expression.operator, of(expression.left), of(expression.right))
      case 'unary':
        return expression.operator === 'NOT' ? `(NOT ${of(expression.of)})` : `negate(${of(expression.of)})`
      case 'between': {
        const { from, to, isNegated } = expression
        return `(${of(expression.of)} ${isNegated ? 'NOT ' : ''}BETWEEN ${of(from)} AND ${of(to)})`
      }
      case 'isNull':
        return `(${of(expression.of)} IS ${expression.isNegated ? 'NOT ' : ''}NULL)`
      case 'in': {
        const { among, isNegated } = expression
        const values = among.kind === 'query' ? printQuery(among.query, scope) : all(among.items)
        return `(${of(expression.of)} ${isNegated ? 'NOT ' : ''}IN (${values}))`
      }
      case 'case': {
        const branches = expression.branches
          .map(({ when, result }) => `WHEN ${of(when)} THEN ${of(result)}`)
          .join(' ')
        const subject = expression.of === null ? '' : ` ${of(expression.of)}`
        const rest = expression.otherwise === null ? '' : ` ELSE ${of(expression.otherwise)}`
        return `(CASE${subject} ${branches}${rest} END)`
      }
      case 'cast':
        return `CAST(${of(expression.of)} AS ${expression.type})`
      case 'tuple':
        return `tuple(${all(expression.items)})`
      case 'array':
        return `[${all(expression.items)}]`
      case 'subscript': {
        const { index } = expression
        const column = expression.of.kind === 'column' ? propertiesSql(expression.of.parts, scope) : null
        if (column !== null && index.kind === 'string') return propertyText(column, index.value)
        return `arrayElement(${of(expression.of)}, ${of(index)})`
      }
      case 'element':
        return `tupleElement(${of(expression.of)}, ${expression.index})`
      case 'interval':
        return `(INTERVAL ${of(expression.of)} ${expression.unit})`
      case 'subquery':
        return `${expression.isExists ? 'EXISTS ' : ''}(${printQuery(expression.query, scope)})`
    }
  }

  return {
    print,
    windowSql: (window: Window, scope: Scope) => windowSql(window, scope, print),
    ordersSql: (orders: readonly Order[], scope: Scope) => ordersSql(orders, scope, print),
  }
}

function callSql(call: Call, scope: Scope, print: Print): string {
  const allowed = allowedFunction(call.name.value)
  if (allowed === null) throw scope.refused(call.name, `There is no function “${call.name.value}” here`)
  const { textArgument, isAggregate } = allowed
  if (call.args === '*' && allowed.name !== 'count') throw scope.refused(call.name, 'Only count takes *')
  if ((call.parameters !== null || call.isDistinct || call.filter !== null) && !isAggregate) {
    throw scope.refused(call.name, `“${allowed.name}” is no aggregate`)
  }
  const args = call.args === '*' ? [] : call.args
  if (textArgument !== null && args[textArgument] !== undefined && args[textArgument].kind !== 'string') {
    throw scope.refused(call.name, `“${allowed.name}” takes a text in quotes at place ${textArgument + 1}`)
  }
  const parameters = call.parameters?.map((one) => {
    if (one.kind === 'number' || one.kind === 'string') return print(one, scope)
    throw scope.refused(call.name, `“${allowed.name}” takes numbers or texts before its columns`)
  })
  const printed = args.map((one) => print(one, scope)).join(', ')
  return [
    `${allowed.name}${parameters === undefined ? '' : `(${parameters.join(', ')})`}`,
    `(${call.isDistinct ? 'DISTINCT ' : ''}${printed})`,
    call.filter === null ? '' : ` FILTER (WHERE ${print(call.filter, scope)})`,
    call.over === null
      ? ''
      : ` OVER ${'kind' in call.over ? windowSql(call.over, scope, print) : nameSql(call.over.value)}`,
  ].join('')
}

function windowSql({ partitionBy, orderBy, frame }: Window, scope: Scope, print: Print): string {
  const parts = [
    ...(partitionBy.length > 0
      ? [`PARTITION BY ${partitionBy.map((one) => print(one, scope)).join(', ')}`]
      : []),
    ...(orderBy.length > 0 ? [`ORDER BY ${ordersSql(orderBy, scope, print)}`] : []),
    ...(frame === null ? [] : [frame]),
  ]
  return `(${parts.join(' ')})`
}

function ordersSql(orders: readonly Order[], scope: Scope, print: Print): string {
  return orders
    .map(({ of, isDescending, nulls }) => {
      const direction = isDescending ? ' DESC' : ' ASC'
      return `${print(of, scope)}${direction}${nulls === null ? '' : ` NULLS ${nulls}`}`
    })
    .join(', ')
}

/** As read (tokens.ts); the store wants digits on both sides of a dot. */
const numberSql = (text: string) => text.replace(/^\./, '0.').replace(/\.(?=$|e)/i, '.0')

const functionsOf: Readonly<Record<string, string>> = { DIV: 'intDiv', MOD: 'modulo' }

function binarySql(operator: string, left: string, right: string): string {
  const name = functionsOf[operator]
  return name === undefined ? `(${left} ${operator} ${right})` : `${name}(${left}, ${right})`
}

/** A column by its name, behind that of its table; or a property. */
function columnSql(parts: readonly Name[], scope: Scope): string {
  const { table, names } = splitColumn(parts, scope)
  const [first, ...rest] = names
  if (first === undefined) throw new Error('a column has a name')
  if (rest.length > 0 && first.value !== 'properties') {
    throw scope.refused(first, `There is no table “${first.value}” in FROM`)
  }
  scope.requireColumn(first)
  const column = `${table}${nameSql(first.value)}`
  if (rest.length === 0) return column
  return propertyText(column, rest.map(({ value }) => value).join('.'))
}

function splitColumn(parts: readonly Name[], scope: Scope): { table: string; names: readonly Name[] } {
  const [first, ...rest] = parts
  const alias = first === undefined || rest.length === 0 ? null : scope.alias(first.value)
  return alias === null ? { table: '', names: parts } : { table: `${alias}.`, names: rest }
}

function propertiesSql(parts: readonly Name[], scope: Scope): string | null {
  const { names } = splitColumn(parts, scope)
  return names.length === 1 && names[0]?.value === 'properties' ? columnSql(parts, scope) : null
}

/** As questions read them. */
function propertyText(column: string, property: string): string {
  const bind = (_type: string, value: unknown) => textSql(String(value))
  return propertySql(property, { bind, params: {} }, column).text
}
