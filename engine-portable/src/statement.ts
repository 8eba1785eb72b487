/** One statement with all it depends on. It leaves nothing behind for the next one. */
export interface Statement {
  sql: string
  /** The output format where the SQL names none. */
  format: string
  database?: string
  settings: Readonly<Record<string, string>>
  /** Texts of `{name:Type}` parameters, already in ClickHouse's escaped form. */
  parameters: Readonly<Record<string, string>>
}

const settingName = /^[A-Za-z_][A-Za-z0-9_]*$/
const parameterSetting = (name: string): string => `param_${name}`

/** A name stands in a SET as it is, so it must be one. */
export function requireNames({ settings, parameters }: Pick<Statement, 'settings' | 'parameters'>): void {
  const names = [...Object.keys(settings), ...Object.keys(parameters).map(parameterSetting)]
  const wrong = names.find((name) => !settingName.test(name))
  if (wrong !== undefined) throw new Error(`${JSON.stringify(wrong)} cannot be the name of a setting`)
}

// ClickHouse's default of max_query_size, which also bounds the SET that carries the parameters.
const usualQueryBytes = 262_144

/** The statements that put settings and parameters into force on a connection. */
export function preparation({ settings, parameters }: Pick<Statement, 'settings' | 'parameters'>): string[] {
  const set = (values: Readonly<Record<string, string>>): string =>
    `SET ${Object.entries(values)
      .map(([name, value]) => `${name} = ${literal(value)}`)
      .join(', ')}`
  const bound = Object.fromEntries(
    Object.entries(parameters).map(([name, text]) => [parameterSetting(name), text] as const),
  )
  const all = { ...bound, ...settings }
  if (Object.keys(all).length === 0) return []
  const byteCount = Buffer.byteLength(set(all))
  if (byteCount <= usualQueryBytes) return [set(all)]
  const limit = { max_query_size: settings.max_query_size ?? String(usualQueryBytes) }
  return [set({ max_query_size: String(byteCount * 2) }), set({ ...all, ...limit })]
}

const changesNoConnection =
  /^\s*(select|with|insert|exists|truncate|optimize|delete|alter|drop\s+table|create\s+table)\b/i
const namedParameters = /\{\s*(\w+)\s*:/g

/**
 * Whether the statement leaves its connection as it was, except for the values of parameters. Since those stay, a
 * statement that names a parameter which it does not bring gets a connection of its own, where it is refused.
 */
export function leavesNothing({ sql, database, settings, parameters }: Statement): boolean {
  if (database !== undefined || Object.keys(settings).length > 0 || !changesNoConnection.test(sql))
    return false
  if (preparation({ settings, parameters }).length > 1) return false
  return [...sql.matchAll(namedParameters)].every(([, name = '']) => Object.hasOwn(parameters, name))
}

/** A string literal of ClickHouse SQL. NUL is escaped too: statements reach the engine as C strings. */
function literal(text: string): string {
  return `'${text.replace(/[\0'\\]/g, (character) => (character === '\0' ? '\\0' : `\\${character}`))}'`
}

/** A back-quoted name. */
export function identifier(name: string): string {
  return `\`${name.replace(/[`\\]/g, (character) => `\\${character}`)}\``
}
