import { answersOf, isRecord, namedShapes, type RouteShape } from '../contract/src/index.ts'

/**
 * What the server SDK knows of the route table, as source: addresses for its run time, and plain types for its users,
 * so that neither the shapes nor the library they are written with travel along.
 */
export function sdkOperations(routes: readonly RouteShape[]): string {
  const callable = routes.filter((route) => route.access !== 'vendor')
  const table = callable.map(
    ({ id, plane, method, path }) => `  ${id}: ['${plane}', '${method}', '${path}'],`,
  )
  const types = callable.flatMap((route) => [
    `  /** ${route.summary}. \`${route.method} ${route.path}\` */`,
    `  ${route.id}: { input: ${inputOf(route)}; output: ${outputOf(route)} }`,
  ])
  return [
    '// Made by `npm run openapi` from contract/. Do not edit.',
    '',
    'export const operations = {',
    ...table,
    '} as const',
    '',
    ...Object.entries(namedShapes).map(([name, shape]) => `export type ${name} = ${typeOf(shape)}`),
    '',
    'export type Operations = {',
    ...types,
    '}',
    '',
  ].join('\n')
}

function inputOf({ params, query, body }: RouteShape): string {
  const parts = [
    ...(params ? [`params: ${typeOf(params)}`] : []),
    ...(query ? [`query${hasRequired(query) ? '' : '?'}: ${typeOf(query)}`] : []),
    ...(body ? [`body: ${typeOf(body)}`] : []),
  ]
  return parts.length === 0 ? 'Record<string, never>' : `{ ${parts.join('; ')} }`
}

function outputOf(route: RouteShape): string {
  const bodies = answersOf(route).map(({ body }) => (body ? typeOf(body) : 'undefined'))
  return [...new Set(bodies)].join(' | ')
}

const hasRequired = (schema: object) => listAt(schema, 'required').length > 0

const listAt = (schema: object, name: string): readonly unknown[] => {
  const value = Reflect.get(schema, name)
  return Array.isArray(value) ? value : []
}

/** JSON Schema as a type of TypeScript. What it does not say is `unknown`. */
function typeOf(schema: unknown): string {
  if (!isRecord(schema)) return 'unknown'
  if (typeof schema['x-shape'] === 'string') return schema['x-shape']
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.anyOf)) return unionOf(schema.anyOf.map(typeOf))
  if (Array.isArray(schema.oneOf)) return unionOf(schema.oneOf.map(typeOf))
  if (Array.isArray(schema.allOf)) return schema.allOf.map((part) => `(${typeOf(part)})`).join(' & ')
  if (Array.isArray(schema.type)) return unionOf(schema.type.map((type) => typeOf({ ...schema, type })))
  switch (schema.type) {
    case 'string':
      return 'string'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      if (Array.isArray(schema.prefixItems)) return `readonly [${schema.prefixItems.map(typeOf).join(', ')}]`
      return `ReadonlyArray<${typeOf(schema.items)}>`
    case 'object':
      return objectType(schema)
    default:
      return 'unknown'
  }
}

const unionOf = (types: readonly string[]) => {
  const distinct = [...new Set(types)]
  return distinct.includes('unknown') ? 'unknown' : distinct.join(' | ')
}

function objectType(schema: Record<string, unknown>): string {
  const required = new Set(listAt(schema, 'required'))
  const properties = Object.entries(isRecord(schema.properties) ? schema.properties : {})
  const patterns = Object.values(isRecord(schema.patternProperties) ? schema.patternProperties : {})
  if (properties.length === 0) {
    const [value] = patterns.length > 0 ? patterns : [schema.additionalProperties]
    return isRecord(value) ? `Record<string, ${typeOf(value)}>` : 'Record<string, unknown>'
  }
  const members = properties.map(([name, shape]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    return `${key}${required.has(name) ? '' : '?'}: ${typeOf(shape)}`
  })
  return `{ ${members.join('; ')} }`
}
