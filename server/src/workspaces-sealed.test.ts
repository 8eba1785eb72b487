import { pathParameters, type RouteShape, routes } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from './testing/harness.ts'

let world: World
let ours: TestWorkspace
let theirs: TestWorkspace

beforeAll(async () => {
  world = await startWorld()
  ours = await world.newWorkspace()
  theirs = await world.newWorkspace()
})
afterAll(() => world?.close())

/** Places where a request can name a thing of a workspace: path parameters, and members called so. */
const naming = /^(id|key|siteId|site_id|event_id|personId|outcomeId|cursor)$/

type Place = { route: RouteShape; where: 'params' | 'query' | 'body'; name: string }

function placesOf(route: RouteShape): Place[] {
  const inPath = pathParameters(route.path).map((name) => ({ route, where: 'params' as const, name }))
  const members = (shape: object | undefined) =>
    Object.keys(shape !== undefined && 'properties' in shape ? Object(shape.properties) : {})
  const named = (where: 'query' | 'body', shape: object | undefined) =>
    members(shape)
      .filter((name) => naming.test(name) && name !== 'cursor')
      .map((name) => ({ route, where, name }))
  return [...inPath, ...named('query', route.query), ...named('body', route.body)]
}

const places = routes.filter((route) => route.access !== 'siteToken').flatMap(placesOf)

/** Enough of a valid body that the request gets as far as looking the thing up. */
const bodies: Record<string, object> = {
  createMapping: { siteId: 'x', source: 'a_b', target: '$purchase' },
  updateMapping: { enabled: false },
  mintApiKey: { kind: 'secret', name: 'x' },
  updateSite: { name: 'x' },
  createSite: { name: 'x', domain: 'x.example' },
  track: { event: '$login', user_id: 'u', properties: { method: 'x' } },
  batch: { batch: [{ event: '$login', user_id: 'u', properties: { method: 'x' } }] },
  createDefinition: { name: 'a_b' },
  updateDefinition: { match: null },
  reverseMerge: { reason: 'x' },
}

async function ask(place: Place, value: string): Promise<{ status: number; body: unknown }> {
  const { route, where, name } = place
  const path = route.path.replace(/:([A-Za-z_]+)/g, (_, parameter: string) =>
    where === 'params' && parameter === name ? encodeURIComponent(value) : 'x',
  )
  const query = where === 'query' ? `?${new URLSearchParams({ [name]: value })}` : ''
  const body = { ...bodies[route.id], ...(where === 'body' && { [name]: value }) }
  const response = await fetch(`${world.product.url}${path}${query}`, {
    method: route.method,
    headers: { authorization: `Bearer ${ours.keys.secret}`, 'content-type': 'application/json' },
    ...(route.method !== 'GET' && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const answer = text === '' ? null : JSON.parse(text)
  return { status: response.status, body: { ...answer, instance: '', request_id: '' } }
}

describe('a thing of another workspace answers exactly as one that does not exist', () => {
  test.each(places.map((place) => ({ title: `${place.route.id} by ${place.where}.${place.name}`, place })))(
    '$title',
    async ({ place }) => {
      const foreign = await ask(place, theirs.siteId)
      const missing = await ask(
        place,
        theirs.siteId.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      )
      // Ids and times differ between any two answers.
      const blind = (answer: typeof foreign) =>
        JSON.stringify(answer).replaceAll(
          /site_[0-9a-z]+|\d{4}-\d\d-\d\dT[\d:.]+Z|evt_[0-9a-z]+|key_[0-9a-z]+/g,
          '',
        )
      expect(blind(foreign)).toBe(blind(missing))
    },
  )
})
