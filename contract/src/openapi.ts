import type { TObject, TSchema } from 'typebox'
import { type NoticeType, noticeBody, noticeTypes } from './destinations/notices.ts'
import { isRecord } from './gate/raw-event.ts'
import { problems } from './problems.ts'
import { namedShapes } from './questions/question-shapes.ts'
import { readWaitMax } from './reads.ts'
import { answersOf, pathParameters, problemsOf, type RouteShape } from './route.ts'

type Json = Record<string, unknown>

const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance'],
  properties: {
    type: { type: 'string', description: 'Stable URL identifying the error class' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string', description: 'Request id to quote in a bug report' },
    errors: { type: 'array', items: { type: 'object', additionalProperties: true } },
  },
}

const securitySchemes = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, as a bearer token' },
  basicKey: {
    type: 'http',
    scheme: 'basic',
    description: 'An API key as Basic user name, as tracking SDKs send it',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token of a signed-in person; X-Assay-Workspace names one of their workspaces',
  },
}

/** Public URLs of an installation's planes. */
export type Addresses = { control: string; data: string }

/** OpenAPI 3.1 of the table: its schemas are JSON Schema 2020-12, like ours. */
export function openApi(routes: readonly RouteShape[], version: string, addresses?: Addresses): Json {
  const servers = serversOf(addresses)
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = route.path.replace(/:([A-Za-z_]+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, servers) }
  }
  const described: Json = {
    openapi: '3.1.0',
    info: { title: 'Assay', version, description: 'Analytics that tests every event before it counts.' },
    servers: [servers.control],
    paths,
    webhooks: Object.fromEntries(noticeTypes.map((type) => [type, { post: notice(type) }])),
    components: {
      securitySchemes,
      schemas: { Problem: problemSchema, ...namedShapes },
      headers: limitHeaders,
      parameters: { Prefer: preferWait },
      responses: Object.fromEntries(routes.flatMap(failuresOf).map(({ name, response }) => [name, response])),
    },
  }
  // boundary: an object stays one.
  return withReferences(described) as Json
}

/** A schema that names its shape is a reference to it. */
function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences)
  if (!isRecord(value)) return value
  const { 'x-shape': shape, ...rest } = value
  if (typeof shape !== 'string')
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withReferences(member)]))
  const { description } = rest
  return { $ref: `#/components/schemas/${shape}`, ...(description !== undefined && { description }) }
}

type Servers = Record<RouteShape['plane'], Json>

/** One port serves both planes unless the operator splits them: see ASSAY_DATA_PORT. */
function serversOf(addresses: Addresses | undefined): Servers {
  const server = (plane: RouteShape['plane'], role: string): Json => {
    const description = `The ${plane} plane: ${role}`
    if (addresses !== undefined) return { url: addresses[plane], description }
    const name = `${plane}_url`
    const variable = { default: 'http://127.0.0.1:4400', description: 'Where your installation is reached' }
    return { url: `{${name}}`, description, variables: { [name]: variable } }
  }
  return {
    control: server('control', 'everything that does not accept events'),
    data: server('data', 'everything that accepts events'),
  }
}

/** Of one rate limit, all three; on every answer. */
const limitHeaders = {
  'X-RateLimit-Limit': {
    description: 'How many calls the counter allows a minute; of events, how many fit into its bucket',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': { description: 'How many are left of it', schema: { type: 'integer' } },
  'X-RateLimit-Reset': {
    description: 'When it is full again, in Unix seconds',
    schema: { type: 'integer' },
  },
  'Retry-After': { description: 'Seconds to wait before the next try', schema: { type: 'integer' } },
}

const limitNames = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

function headersOf(status: number): Json {
  const names = status === 429 || status === 503 ? [...limitNames, 'Retry-After'] : limitNames
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The body sent to a destination; see docs/destinations.md. */
function notice(type: NoticeType): Json {
  return {
    operationId: `notice ${type}`,
    summary: `Notice: ${type}`,
    tags: ['Destinations'],
    security: [],
    requestBody: { required: true, content: json(noticeBody(type)) },
    responses: { '2XX': { description: 'Taken; any other answer is tried again' } },
  }
}

function operation(route: RouteShape, servers: Servers): Json {
  const planes = [route.plane, ...(route.alsoOn ? [route.alsoOn] : [])]
  return {
    operationId: route.id,
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    tags: [route.tag],
    'x-plane': route.plane,
    ...(route.plane === 'data' && { servers: planes.map((plane) => servers[plane]) }),
    'x-rate-class': route.rate,
    ...(route.scope !== undefined && { 'x-scope': route.scope }),
    security: security(route),
    parameters: parameters(route),
    ...(route.body && { requestBody: { required: true, content: json(route.body) } }),
    responses: { ...success(route), ...failures(route) },
  }
}

function security(route: RouteShape): Json[] {
  if (['open', 'siteToken', 'vendor'].includes(route.access)) return []
  if (route.access === 'send') return [{ apiKey: [] }, { basicKey: [] }]
  if (route.access === 'record') return [{ apiKey: [] }, { basicKey: [] }, { accessToken: [] }]
  return route.access === 'person' ? [{ accessToken: [] }] : [{ apiKey: [] }, { accessToken: [] }]
}

function parameters(route: RouteShape): Json[] {
  const inPath = pathParameters(route.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: route.params?.properties[name] ?? { type: 'string' },
  }))
  return [
    ...inPath,
    ...queryParameters(route.query),
    ...(route.fresh ? [{ $ref: '#/components/parameters/Prefer' }] : []),
  ]
}

const preferWait = {
  name: 'Prefer',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  example: 'wait=5',
  description: `Waits up to so many seconds (${readWaitMax} at most) until everything acknowledged before is in the answer`,
}

function queryParameters(query: TObject | undefined): Json[] {
  const required = new Set<string>(query?.required ?? [])
  return Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.has(name),
    schema,
  }))
}

function success(route: RouteShape): Json {
  const described = answersOf(route).map(({ status, body }) => [
    String(status),
    {
      description: 'Success',
      headers: headersOf(status),
      ...(body && { content: { ...json(body), ...(route.csv && csv) } }),
    },
  ])
  return Object.fromEntries(described)
}

type Failure = { status: number; name: string; response: Json }

/**
 * Several problems can share a status: they are listed by slug in its description. Most routes fail in the
 * same few ways, so each combination is described once, under its slugs.
 */
function failuresOf(route: RouteShape): Failure[] {
  const byStatus = new Map<number, string[]>()
  for (const slug of problemsOf(route)) {
    const { status } = problems[slug]
    byStatus.set(status, [...(byStatus.get(status) ?? []), slug])
  }
  return [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, given]) => {
      const slugs = given.toSorted()
      const response = {
        description: slugs.join(', '),
        headers: headersOf(status),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      }
      return { status, name: slugs.join('.'), response }
    })
}

function failures(route: RouteShape): Json {
  return Object.fromEntries(
    failuresOf(route).map(({ status, name }) => [String(status), { $ref: `#/components/responses/${name}` }]),
  )
}

const csv = { 'text/csv': { schema: { type: 'string' } } }

function json(schema: TSchema): Json {
  return { 'application/json': { schema } }
}
