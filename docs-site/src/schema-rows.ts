/** As much of JSON Schema as the contract uses. */
export type Schema = {
  type?: string
  description?: string
  enum?: readonly unknown[]
  const?: unknown
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  default?: unknown
  required?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
  items?: Schema
  anyOf?: readonly Schema[]
  $ref?: string
}

/** `name` is the path to a member: `data[].person_id`. */
export type Row = { name: string; type: string; isRequired: boolean; description: string }

/** Deeper members are described by the page of their task, not by a table. */
const depthMax = 5

/** A row for each member, those of nested objects below it. */
export function rowsOf(schema: Schema, prefix = '', depth = 0): Row[] {
  const rows = objectsOf(schema).flatMap(({ object, path }) =>
    Object.entries(object.properties ?? {}).flatMap(([member, inner]) => {
      const name = `${prefix}${path}${member}`
      const isRequired = object.required?.includes(member) ?? false
      const row = { name, type: typeOf(inner), isRequired, description: describe(inner) }
      return [row, ...(depth < depthMax ? rowsOf(inner, `${name}.`, depth + 1) : [])]
    }),
  )
  return withoutRepeats(rows)
}

/** The objects in a schema: itself, the items of a list, the choices of a union. */
function objectsOf(schema: Schema, path = ''): { object: Schema; path: string }[] {
  if (schema.anyOf) return schema.anyOf.flatMap((choice) => objectsOf(choice, path))
  if (schema.items) return objectsOf(schema.items, `${path}[].`)
  return schema.properties ? [{ object: schema, path }] : []
}

/** Choices of a union share members: each name has one row. */
function withoutRepeats(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.name, row])).values()].map((row) => ({
    ...row,
    name: row.name.replaceAll('.[]', '[]'),
  }))
}

export function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(', ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.items) return `list of ${typeOf(schema.items)}`
  return schema.type ?? 'any'
}

/** Its words, then its bounds. */
function describe(schema: Schema): string {
  const { description, default: standard } = schema
  const bounds = boundsOf(schema)
  const usual = standard === undefined ? [] : [`default ${JSON.stringify(standard)}`]
  return [description, [...bounds, ...usual].join(', ')].filter(Boolean).join('. ')
}

function boundsOf({ minimum, maximum, maxLength, maxItems }: Schema): string[] {
  return [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} items`]),
  ]
}
