import { isRecord, pathParameters, type RouteShape } from '@assay/contract'
import type { HostileValue } from './corpus.ts'
import { type CredentialName, type Example, freshId, type Json } from './example.ts'

/** What goes out, but for the credential, which is a choice of its own. */
export type HostileRequest = {
  route: RouteShape
  /** Where it is hostile, and how: enough to say which case it was. */
  label: string
  path: string
  body: string | Buffer | undefined
  headers: Readonly<Record<string, string>>
  as: CredentialName
  /** Where several fields are hostile: each alone, for an answer that does not come from looking at all of them. */
  apart?: { unless: readonly number[]; requests: readonly HostileRequest[] }
}

/** A part of a request that can be replaced. */
export type Place = {
  label: string
  /** Of a key rather than a value, so that what is put there has to be a text. */
  isKey: boolean
  fill: (value: HostileValue) => HostileRequest
}

let freshIds = 0

const json = { 'content-type': 'application/json' }

const usualCredential = {
  open: 'none',
  siteToken: 'none',
  vendor: 'none',
  send: 'public',
  record: 'public',
  read: 'live',
  write: 'live',
  person: 'owner',
} as const

/** The example itself. */
export function plainRequest(route: RouteShape, example: Example): HostileRequest {
  const text = example.body === undefined ? undefined : JSON.stringify(example.body)
  return withBody(route, example, addressOf(route, example), text, 'as it should be')
}

function withBody(
  route: RouteShape,
  example: Example,
  path: string,
  body: string | undefined,
  label: string,
): HostileRequest {
  const text = body?.includes(freshId) ? body.replaceAll(freshId, `${freshIds++}`) : body
  const signed = text === undefined ? undefined : example.sign?.(text)
  return {
    route,
    label,
    path,
    body: signed?.body ?? text,
    headers: text === undefined ? {} : { ...json, ...signed?.headers },
    as: example.as ?? usualCredential[route.access],
  }
}

export function addressOf(route: RouteShape, { params = {}, query = {} }: Example): string {
  const path = route.path.replace(/:([A-Za-z_]+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? 'none_such'),
  )
  const asked = Object.entries(query).filter(([, value]) => value !== '')
  return asked.length === 0 ? path : `${path}?${new URLSearchParams(asked)}`
}

/** Every field of the path, the query and the body: those that the example has, and those that it may have. */
export function placesOf(route: RouteShape, example: Example): readonly Place[] {
  return [...pathPlaces(route, example), ...queryPlaces(route, example), ...bodyPlaces(route, example)]
}

function pathPlaces(route: RouteShape, example: Example): Place[] {
  const body = example.body === undefined ? undefined : JSON.stringify(example.body)
  return pathParameters(route.path).map((name) => {
    const marked = addressOf(route, { ...example, params: { ...example.params, [name]: mark } })
    const [before = '', after = ''] = marked.split(mark)
    return {
      label: `:${name}`,
      isKey: false,
      fill: (value) => withBody(route, example, before + value.url + after, body, `:${name} = ${value.name}`),
    }
  })
}

function queryPlaces(route: RouteShape, example: Example): Place[] {
  const names = new Set([...Object.keys(example.query ?? {}), ...Object.keys(route.query?.properties ?? {})])
  return [...names].map((name) => ({
    label: `?${name}`,
    isKey: false,
    fill: (value) => withQuery(route, example, [[name, value]]),
  }))
}

/** With these values in the query. */
export function withQuery(
  route: RouteShape,
  example: Example,
  values: readonly (readonly [name: string, value: HostileValue])[],
): HostileRequest {
  const body = example.body === undefined ? undefined : JSON.stringify(example.body)
  const marks = values.map(([name], index) => [name, `${mark}${index}${mark}`] as const)
  let address = addressOf(route, { ...example, query: { ...example.query, ...Object.fromEntries(marks) } })
  for (const [index, [, { url }]] of values.entries()) {
    address = address.replace(`${mark}${index}${mark}`, () => url)
  }
  const label = values.map(([name, value]) => `?${name} = ${value.name}`).join(', ')
  return withBody(route, example, address, body, label)
}

/** Unlike anything that an example holds. */
const mark = 'MARKOFAPLACE'

function bodyPlaces(route: RouteShape, example: Example): Place[] {
  if (example.body === undefined) return []
  const address = addressOf(route, example)
  const known =
    isRecord(route.body) && isRecord(route.body.properties) ? Object.keys(route.body.properties) : []
  return [
    ...valuePaths(example.body, known).map((path) => place(path, false)),
    ...keyPaths(example.body).map((path) => place(path, true)),
  ]

  function place(path: readonly (string | number)[], isKey: boolean): Place {
    const marked = JSON.stringify(withMark(example.body ?? null, path, isKey))
    const [before = '', after = ''] = marked.split(isKey ? `"${mark}"` : `"${mark}"`)
    const label = `${isKey ? 'a key of ' : ''}body${path.map((step) => `.${step}`).join('')}`
    return {
      label,
      isKey,
      fill: (value) =>
        withBody(route, example, address, before + value.json + after, `${label} = ${value.name}`),
    }
  }
}

type Path = readonly (string | number)[]

function valuePaths(value: Json, known: readonly string[], path: Path = []): Path[] {
  const inner = isPlain(value) ? new Set([...Object.keys(value), ...known]) : new Set<string>()
  const members = [...inner].flatMap((name) => {
    const child = isPlain(value) ? value[name] : undefined
    return child === undefined ? [[...path, name]] : valuePaths(child, [], [...path, name])
  })
  const items = Array.isArray(value)
    ? value.flatMap((item, index) => valuePaths(item, [], [...path, index]))
    : []
  return [path, ...members, ...items]
}

/** Objects to which a member can be added. */
function keyPaths(value: Json, path: Path = []): Path[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => keyPaths(item, [...path, index]))
  if (!isPlain(value)) return []
  return [path, ...Object.entries(value).flatMap(([name, child]) => keyPaths(child, [...path, name]))]
}

function withMark(value: Json, path: Path, isKey: boolean): Json {
  const [step, ...rest] = path
  if (step === undefined) return isKey && isPlain(value) ? { ...value, [mark]: 1 } : mark
  if (Array.isArray(value)) {
    return value.map((item: Json, index) => (index === step ? withMark(item, rest, isKey) : item))
  }
  const members = isPlain(value) ? value : {}
  return { ...members, [step]: withMark(members[step] ?? null, rest, isKey) }
}

function isPlain(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
