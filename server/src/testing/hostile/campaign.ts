import { type RouteShape, routes } from '@assay/contract'
import {
  brokenAddresses,
  controls,
  type HostileValue,
  hostileKeys,
  largeValues,
  smallValues,
} from './corpus.ts'
import { type CredentialName, credentialNames, type Example } from './example.ts'
import { expensiveRoutes } from './expensive-routes.ts'
import { createRandom, type Random } from './random.ts'
import { addressOf, type HostileRequest, type Place, placesOf, plainRequest } from './request.ts'
import type { Target } from './target.ts'
import { shortBodies, type WholeBody, wholeBodies } from './whole-bodies.ts'

/** One request of a campaign; the seed and the number give the same one again. */
export type Case = { number: number; request: HostileRequest; method: string; credential: CredentialName }

/** Left out of campaigns, and why; a test of their own calls them. */
const excluded: Readonly<Record<string, string>> = {
  startDemo: 'fills a workspace with months of events, which takes longer than everything else together',
}

/**
 * How often a route is chosen relative to the others. Sending is open to strangers, so it is most of it; the
 * others cost the product ten to a hundred times as much, and are still chosen some hundred times each in a
 * million.
 */
function weightOf({ id, access, plane, scope }: RouteShape): number {
  if (excluded[id] !== undefined) return 0
  if (expensiveRoutes.has(id)) return 0.005
  if (storesAtOnce.has(id)) return 2
  if (plane === 'data') return 25
  if (access === 'read' && /^(?:analytics|health|attribution|identity):/.test(scope ?? '')) return 0.02
  return readsEvents.has(id) ? 0.02 : 0.25
}

/** Written to the control store before they are answered, one after the other. */
const storesAtOnce = new Set(['identify', 'alias', 'recordConsent', 'recordReplay', 'receiveWebhook'])
const readsEvents = new Set([
  'getReceipt',
  'listQuarantined',
  'countQuarantined',
  'releaseQuarantined',
  'discardQuarantined',
  'getEventRetention',
  'createErrorRule',
  'previewErrorRule',
])

/** Cheapest first: a bomb or a text of 4 MB takes as long as a hundred others. */
const largeShare = 0.004
const methods = ['OPTIONS', 'PUT', 'HEAD', 'DELETE', 'PATCH', 'GET', 'POST', 'TRACE', 'PROPFIND']

type Shape = {
  example: Example
  values: readonly Place[]
  keys: readonly Place[]
  bodies: readonly WholeBody[]
}
type Drawn = { route: RouteShape; upTo: number; shapes: readonly Shape[] }

export function createCampaign(target: Target, seed: number): (number: number) => Case {
  const table = drawingTable(target)
  const total = table.at(-1)?.upTo ?? 0
  return (number) => {
    const random = createRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b))
    const at = random.next() * total
    const drawn = table.find(({ upTo }) => at < upTo)
    if (drawn === undefined) throw new Error('an empty route table')
    const request = withHeader(random, draw(random, drawn))
    const credential = random.chance(0.8) ? request.as : random.pick(credentialNames)
    const isOther = request.label.startsWith('method')
    const method = isOther ? random.pick(otherMethods(drawn.route)) : drawn.route.method
    return { number, request, credential, method }
  }
}

/** Not those that are another route: to delete the workspace that is attacked would end the attack. */
function otherMethods({ path }: RouteShape): string[] {
  const taken = new Set<string>(routes.filter((route) => route.path === path).map(({ method }) => method))
  return methods.filter((method) => !taken.has(method))
}

function drawingTable({ examples }: Target): readonly Drawn[] {
  let upTo = 0
  return routes.map((route) => {
    upTo += weightOf(route)
    const shapes = (examples[route.id] ?? [{}]).map((example): Shape => {
      const places = placesOf(route, example)
      return {
        example,
        values: places.filter(({ isKey }) => !isKey),
        keys: places.filter(({ isKey }) => isKey),
        bodies: example.body === undefined ? [] : wholeBodies(JSON.stringify(example.body)),
      }
    })
    return { route, upTo, shapes }
  })
}

function draw(random: Random, { route, shapes }: Drawn): HostileRequest {
  const shape = random.pick(shapes)
  const kind = random.next()
  if (kind < 0.04) return plainRequest(route, shape.example)
  if (kind < 0.07) return { ...plainRequest(route, shape.example), label: 'method' }
  if (kind < 0.1) return withBrokenAddress(random, route, shape)
  if (kind < 0.13 && shape.bodies.length > 0) return withWholeBody(random, route, shape)
  if (kind < 0.23) return withBrokenBytes(random, route, shape)
  if (kind < 0.31 && shape.keys.length > 0) return random.pick(shape.keys).fill(random.pick(hostileKeys))
  if (shape.values.length > 0) return random.pick(shape.values).fill(drawValue(random))
  return plainRequest(route, shape.example)
}

function drawValue(random: Random): HostileValue {
  if (random.chance(largeShare)) return random.pick(largeValues)
  return random.pick(random.chance(0.1) ? controls : smallValues)
}

function withBrokenAddress(random: Random, route: RouteShape, { example }: Shape): HostileRequest {
  const broken = random.pick(brokenAddresses)
  const path = addressOf(route, example)
  const joint = random.pick(['/', '?', '&', '?a=', '//', '#', '%2f'])
  return {
    ...plainRequest(route, example),
    path: path + joint + broken,
    label: `path ${joint}${broken.slice(0, 40)}`,
  }
}

/** Bombs are a few of them, and each keeps the product busy for long. */
function withWholeBody(random: Random, route: RouteShape, { example, bodies }: Shape): HostileRequest {
  const drawn = random.pick(bodies)
  const body = drawn.name.includes('bomb') && !random.chance(0.05) ? random.pick(shortBodies) : drawn
  const plain = plainRequest(route, example)
  return { ...plain, body: body.bytes, headers: { ...plain.headers, ...body.headers }, label: body.name }
}

/** A few bytes of a valid body changed, doubled or lost. */
function withBrokenBytes(random: Random, route: RouteShape, { example }: Shape): HostileRequest {
  const plain = plainRequest(route, example)
  if (typeof plain.body !== 'string') return plain
  let bytes = Buffer.from(plain.body)
  for (let changes = 1 + random.below(4); changes > 0; changes--) {
    const at = random.below(bytes.length)
    const upTo = Math.min(bytes.length, at + 1 + random.below(8))
    const kind = random.below(3)
    if (kind === 0) bytes[at] = random.below(256)
    if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(upTo)])
    if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, upTo), bytes.subarray(at)])
    if (bytes.length === 0) break
  }
  // Signed again where a vendor would: a wrong signature would end it at once.
  const signed = example.sign?.(bytes.toString()).headers ?? {}
  return { ...plain, body: bytes, headers: { ...plain.headers, ...signed }, label: 'broken bytes' }
}

const headerNames = [
  'x-assay-workspace',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-real-ip',
  'origin',
  'referer',
  'cookie',
  'user-agent',
  'accept',
  'accept-language',
  'if-none-match',
  'prefer',
  'idempotency-key',
  'x-retry-count',
  'cf-ipcountry',
]

/** Node refuses to send what is no header; bytes over 0xff and control characters are left out. */
function withHeader(random: Random, request: HostileRequest): HostileRequest {
  if (!random.chance(0.1)) return request
  const text = decodeURIComponent(random.pick(smallValues).url).replace(/[^\t\x20-\x7e\x80-\xff]/g, '')
  return { ...request, headers: { ...request.headers, [random.pick(headerNames)]: text.slice(0, 2_000) } }
}
