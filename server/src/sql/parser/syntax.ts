/** What a query consists of. Whatever is not in these types cannot be asked. */

/** A name as written, and where. */
export type Name = { value: string; at: number }

export type Expression =
  | { kind: 'number'; text: string }
  | { kind: 'string'; value: string }
  | { kind: 'word'; word: 'NULL' | 'true' | 'false' }
  /** `page`, `e.page`, `properties.plan`. */
  | { kind: 'column'; parts: readonly Name[] }
  | Call
  | { kind: 'lambda'; parameters: readonly Name[]; body: Expression }
  | { kind: 'binary'; operator: string; left: Expression; right: Expression }
  | { kind: 'unary'; operator: 'NOT' | '-'; of: Expression }
  | { kind: 'between'; of: Expression; from: Expression; to: Expression; isNegated: boolean }
  | { kind: 'isNull'; of: Expression; isNegated: boolean }
  | { kind: 'in'; of: Expression; among: Among; isNegated: boolean }
  | { kind: 'case'; of: Expression | null; branches: readonly Branch[]; otherwise: Expression | null }
  | { kind: 'cast'; of: Expression; type: string }
  | { kind: 'tuple' | 'array'; items: readonly Expression[] }
  | { kind: 'subscript'; of: Expression; index: Expression }
  | { kind: 'element'; of: Expression; index: string }
  | { kind: 'interval'; of: Expression; unit: string }
  | { kind: 'subquery'; query: Query; isExists: boolean }

export type Call = {
  kind: 'call'
  name: Name
  /** Of a parametric aggregate: the 0.9 of quantile(0.9)(x). */
  parameters: readonly Expression[] | null
  args: readonly Expression[] | '*'
  isDistinct: boolean
  filter: Expression | null
  over: Window | Name | null
}

export type Branch = { when: Expression; result: Expression }
export type Among = { kind: 'values'; items: readonly Expression[] } | { kind: 'query'; query: Query }

export type Window = {
  kind: 'window'
  partitionBy: readonly Expression[]
  orderBy: readonly Order[]
  frame: string | null
}

export type Order = { of: Expression; isDescending: boolean; nulls: 'FIRST' | 'LAST' | null }

/** `source` is the text of an expression without an alias, which is its name. */
export type Item =
  | { kind: 'item'; of: Expression; alias: Name | null; source: string }
  | { kind: 'star'; table: Name | null; except: readonly Name[] }

export type Select = {
  kind: 'select'
  with: readonly With[]
  isDistinct: boolean
  items: readonly Item[]
  from: TableUse | null
  joins: readonly Join[]
  where: Expression | null
  groupBy: { modifier: string; sets: readonly (readonly Expression[])[] } | null
  having: Expression | null
  windows: readonly { name: Name; window: Window }[]
  qualify: Expression | null
  orderBy: readonly Order[]
  limitBy: { rows: string; by: readonly Expression[] } | null
  limit: { rows: string; offset: string } | null
}

export type Query = Select | { kind: 'union'; operator: string; left: Query; right: Query }

export type With = { kind: 'query'; name: Name; query: Query } | { kind: 'value'; name: Name; of: Expression }

export type Table =
  | { kind: 'named'; name: Name }
  | { kind: 'derived'; query: Query }
  | { kind: 'numbers'; args: readonly string[] }
export type TableUse = { table: Table; alias: Name | null }

export type Join =
  | { kind: 'join'; how: string; right: TableUse; on: Expression | null; using: readonly Name[] }
  | { kind: 'arrayJoin'; isLeft: boolean; items: readonly { of: Expression; alias: Name | null }[] }
