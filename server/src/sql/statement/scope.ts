import { type SqlTableName, sqlTables } from '@assay/contract'
import type { Name } from '../parser/syntax.ts'
import { refusedAt } from '../refusal.ts'

/** What all parts of one statement share while it is printed. */
export type Printing = {
  text: string
  defined: ReadonlySet<string>
  /** A table of the site as a subquery, bound to it. */
  tableSql: (name: SqlTableName) => string
  /** A name in the statement for each of the query's own tables, so that none is that of a stored one. */
  newName: (of: string) => string
}

/** Tables by the names that they have in one SELECT, and in those around it. */
export class Scope {
  readonly printing: Printing
  readonly #outer: Scope | null
  // bounded: by the tables of one query.
  readonly #queries = new Map<string, string>()
  // bounded: by the tables of one query.
  readonly #aliases = new Map<string, string>()

  constructor(printing: Printing, outer: Scope | null) {
    this.printing = printing
    this.#outer = outer
  }

  inner(): Scope {
    return new Scope(this.printing, this)
  }

  addQuery(name: string): string {
    const printed = this.printing.newName(name)
    this.#queries.set(name, printed)
    return printed
  }

  addAlias(alias: Name | null): string {
    const printed = this.printing.newName(alias?.value ?? '')
    if (alias === null) return printed
    if (this.#aliases.has(alias.value))
      throw this.refused(alias, `“${alias.value}” names two tables: give one another name`)
    this.#aliases.set(alias.value, printed)
    return printed
  }

  query(name: string): string | null {
    return this.#queries.get(name) ?? this.#outer?.query(name) ?? null
  }

  alias(name: string): string | null {
    return this.#aliases.get(name) ?? this.#outer?.alias(name) ?? null
  }

  refused({ at }: Name, message: string): Error {
    return refusedAt(this.printing.text, at, message)
  }

  requireTable(name: Name): SqlTableName {
    const found = Object.keys(sqlTables).find((one) => one === name.value)
    if (found === 'events' || found === 'sessions') return found
    throw this.refused(
      name,
      `There is no table “${name.value}” here; there are ${Object.keys(sqlTables).join(' and ')}`,
    )
  }

  requireColumn(name: Name): void {
    if (this.printing.defined.has(name.value)) return
    const known = Object.entries(sqlTables).map(
      ([table, { columns }]) => `${table} has ${columns.map((column) => column.name).join(', ')}`,
    )
    throw this.refused(name, `There is no column “${name.value}”; ${known.join('; ')}`)
  }
}
