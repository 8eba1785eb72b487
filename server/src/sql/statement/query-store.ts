import type { Expression, Item, Join, Query, Select, TableUse, With } from '../parser/syntax.ts'
import { refused } from '../refusal.ts'
import { requireSmall } from './expansion.ts'
import { nameSql } from './literals.ts'
import { definedNames, ownPrefix } from './names.ts'
import { printer } from './print-expression.ts'
import { type Printing, Scope } from './scope.ts'

/** A table for each combination of keys. */
const cubeKeysMax = 6
const headingCharactersMax = 100

type Printed = {
  sql: string
  /** What the query calls its tables, by their names in the statement. */
  tableNames: ReadonlyMap<string, string>
}

/**
 * The statement of a query: nothing of its text is passed on, only what was understood of it is written again. Tables
 * are subqueries bound to the site, names of tables are our own, functions are from a list.
 */
export function printStatement(text: string, query: Query, tableSql: Printing['tableSql']): Printed {
  requireSmall(query)
  const tableNames = new Map<string, string>()
  const newName = (of: string) => {
    const name = `${ownPrefix}${tableNames.size + 1}`
    tableNames.set(name, of)
    return name
  }
  const printing = { text, defined: definedNames(text, query), tableSql, newName }
  return { sql: printQuery(query, new Scope(printing, null)), tableNames }
}

function printQuery(query: Query, outer: Scope): string {
  if (query.kind === 'select') return selectSql(query, outer.inner())
  return `(${printQuery(query.left, outer)}) ${query.operator} (${printQuery(query.right, outer)})`
}

const { print, windowSql, ordersSql } = printer(printQuery)

function selectSql(select: Select, scope: Scope): string {
  // Tables before columns, which name them.
  const queries = select.with.map((one) => (one.kind === 'query' ? querySql(one, scope) : ''))
  const from = select.from === null ? [] : [`FROM ${tableUseSql(select.from, scope)}`]
  const tables = select.joins.map((join) => (join.kind === 'join' ? tableUseSql(join.right, scope) : ''))
  const joins = select.joins.map((join, index) => joinSql(join, tables[index] ?? '', scope))
  const withs = select.with.map((one, index) =>
    one.kind === 'value' ? valueSql(one, scope) : (queries[index] ?? ''),
  )
  const items = select.items.map((item) => itemSql(item, select, scope))
  const list = (of: readonly Expression[]) => of.map((one) => print(one, scope)).join(', ')
  const condition = (word: string, of: Expression | null) =>
    of === null ? [] : [`${word} ${print(of, scope)}`]
  const windows = select.windows.map(
    ({ name, window }) => `${nameSql(name.value)} AS ${windowSql(window, scope)}`,
  )
  const { limitBy, limit } = select
  return [
    ...(withs.length > 0 ? [`WITH ${withs.join(', ')}`] : []),
    `SELECT ${select.isDistinct ? 'DISTINCT ' : ''}${items.join(', ')}`,
    ...from,
    ...joins,
    ...condition('WHERE', select.where),
    ...groupBySql(select.groupBy, list),
    ...condition('HAVING', select.having),
    ...(windows.length > 0 ? [`WINDOW ${windows.join(', ')}`] : []),
    ...condition('QUALIFY', select.qualify),
    ...(select.orderBy.length > 0 ? [`ORDER BY ${ordersSql(select.orderBy, scope)}`] : []),
    ...(limitBy === null ? [] : [`LIMIT ${limitBy.rows} BY ${list(limitBy.by)}`]),
    ...(limit === null ? [] : [`LIMIT ${limit.rows} OFFSET ${limit.offset}`]),
  ].join(' ')
}

const valueSql = ({ of, name }: With & { kind: 'value' }, scope: Scope) =>
  `${print(of, scope)} AS ${nameSql(name.value)}`

function querySql({ query, name }: With & { kind: 'query' }, scope: Scope): string {
  // Printed before its name is known, so that it cannot mean itself.
  const sql = printQuery(query, scope)
  return `${scope.addQuery(name.value)} AS (${sql})`
}

function tableUseSql({ table, alias }: TableUse, scope: Scope): string {
  switch (table.kind) {
    case 'numbers':
      return `numbers(${table.args.join(', ')}) AS ${scope.addAlias(alias)}`
    case 'derived': {
      const query = printQuery(table.query, scope)
      return `(${query}) AS ${scope.addAlias(alias)}`
    }
    case 'named': {
      const query = scope.query(table.name.value)
      const sql = query ?? scope.printing.tableSql(scope.requireTable(table.name))
      return `${sql} AS ${scope.addAlias(alias ?? table.name)}`
    }
  }
}

function joinSql(join: Join, right: string, scope: Scope): string {
  if (join.kind === 'arrayJoin') {
    const items = join.items.map(({ of, alias }) => {
      return `${print(of, scope)}${alias === null ? '' : ` AS ${nameSql(alias.value)}`}`
    })
    return `${join.isLeft ? 'LEFT ' : ''}ARRAY JOIN ${items.join(', ')}`
  }
  for (const name of join.using) scope.requireColumn(name)
  const using = join.using.map(({ value }) => nameSql(value)).join(', ')
  const by = join.on === null ? (using === '' ? '' : ` USING (${using})`) : ` ON ${print(join.on, scope)}`
  return `${join.how} JOIN ${right}${by}`
}

function itemSql(item: Item, { from, items }: Select, scope: Scope): string {
  if (item.kind === 'item') {
    const sql = print(item.of, scope)
    if (item.alias !== null) return `${sql} AS ${nameSql(item.alias.value)}`
    const isPlain = item.of.kind === 'column' && item.of.parts.length === 1
    return isPlain ? sql : `${sql} AS ${nameSql(heading(item, items, scope))}`
  }
  if (from === null) throw scope.refused({ value: '*', at: 0 }, '* needs a table')
  for (const name of item.except) scope.requireColumn(name)
  const except =
    item.except.length === 0 ? '' : ` EXCEPT (${item.except.map(({ value }) => nameSql(value)).join(', ')})`
  if (item.table === null) return `*${except}`
  const alias = scope.alias(item.table.value)
  if (alias === null) throw scope.refused(item.table, `There is no table “${item.table.value}” here`)
  return `${alias}.*${except}`
}

/** What was written, for a column without a name; of `e.page` the column, unless two have the same. */
function heading({ of, source }: Item & { kind: 'item' }, items: readonly Item[], scope: Scope): string {
  if (of.kind === 'column' && of.parts.length === 2 && scope.alias(of.parts[0]?.value ?? '') !== null) {
    const own = of.parts[1]?.value ?? source
    return items.filter((item) => nameOf(item) === own).length > 1 ? source : own
  }
  const words = source.replace(/\s+/g, ' ').replace(/[`\\\p{C}]/gu, '')
  return words.length <= headingCharactersMax ? words : `${words.slice(0, headingCharactersMax - 1)}…`
}

function nameOf(item: Item): string | null {
  if (item.kind === 'star') return null
  const last = item.of.kind === 'column' ? item.of.parts.at(-1) : undefined
  return item.alias?.value ?? last?.value ?? null
}

function groupBySql(groupBy: Select['groupBy'], list: (of: readonly Expression[]) => string): string[] {
  if (groupBy === null) return []
  const { modifier, sets } = groupBy
  const [first = []] = sets
  if (modifier === '') return [`GROUP BY ${list(first)}`]
  if (modifier === 'GROUPING SETS')
    return [`GROUP BY GROUPING SETS (${sets.map((set) => `(${list(set)})`).join(', ')})`]
  if (first.length > cubeKeysMax) throw refused(`${modifier} takes ${cubeKeysMax} columns at most`)
  return [`GROUP BY ${modifier}(${list(first)})`]
}
