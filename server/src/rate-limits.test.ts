import { type RouteShape, routes } from '@assay/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startWorld, type TestPerson, type TestWorkspace, type World } from './testing/harness.ts'

/**
 * Few, so that a minute is used up at once; each class another number, so that an answer identifies its
 * class.
 */
const calls = {
  apiRead: 2,
  apiWrite: 3,
  controlRead: 4,
  controlWrite: 5,
  person: 6,
  signIn: 7,
  open: 8,
}
const bucketEvents = 2
let nowMs = Date.now()
let world: World
let workspace: TestWorkspace
let owner: TestPerson

beforeAll(async () => {
  const config = { callsPerMinute: calls, ingestEventsPerSecond: 1 }
  world = await startWorld({ now: () => nowMs, config })
  workspace = await world.newWorkspace()
})
afterAll(() => world?.close())
beforeEach(async () => {
  nowMs += 60_000
  nowMs -= nowMs % 60_000
  // A token is good for 15 minutes, and the clock moves with every test.
  owner = await world.signIn('owner', workspace)
})

/** Bodies that get as far as the counter of events. */
const eventBodies: Readonly<Record<string, () => object>> = {
  track: () => ({}),
  page: () => ({}),
  screen: () => ({}),
  group: () => ({}),
  identify: () => ({}),
  alias: () => ({ from: 'a', to: 'b' }),
  batch: () => ({ batch: [{}] }),
  posthogCapture: () => ({}),
  clientBatch: () => ({ batch: [{}] }),
  plausibleEvent: () => ({}),
  umamiSend: () => ({}),
  ga4Collect: () => ({ events: [{}] }),
  amplitudeEvents: () => ({ events: [{}] }),
  mixpanelTrack: () => [{}],
  mixpanelTrackOne: () => [{}],
  mixpanelEngage: () => [{}],
  mixpanelEngageOne: () => [{}],
  matomoTrack: () => ({ requests: [''] }),
  matomoPixel: () => ({}),
  recordConsent: () => ({ anonymous_id: 'a' }),
  siteIngest: () => ({ siteId: workspace.siteId, token: workspace.siteToken, events: [{}] }),
}
/** Counted by what they carry, once that was found to be sound: see the tests of replays and webhooks. */
const countedLater = ['recordReplay', 'receiveWebhook']
/** Ends the session that it is called with. */
const onlyOnce = ['revokeSession']

async function send(route: RouteShape): Promise<Response> {
  const path = route.path.replace(/:[A-Za-z_]+/g, 'none_such')
  const bearer = route.access === 'person' ? owner.accessToken : workspace.keys.secret
  const hasBody = route.method !== 'GET'
  const body = JSON.stringify(eventBodies[route.id]?.() ?? {})
  // Where it has no body, one of another tool's clients has it in the query.
  const query = !hasBody && route.client !== undefined ? `?${new URLSearchParams({ data: body })}` : ''
  return fetch(`${world.product.url}${path}${query}`, {
    method: route.method,
    redirect: 'manual',
    headers: {
      ...(route.access !== 'siteToken' && { authorization: `Bearer ${bearer}` }),
      ...(hasBody && { 'content-type': 'application/json' }),
    },
    ...(hasBody && { body }),
  })
}

function limitOf({ access, rate }: RouteShape): number | null {
  if (access === 'person') return rate === 'none' ? null : calls.person
  if (rate === 'ingest') return bucketEvents
  return rate === 'none' ? null : calls[rate]
}

const apart = [...countedLater, ...onlyOnce]
const counted = routes.filter((route) => limitOf(route) !== null && !apart.includes(route.id))

test('every route that counts events has a body that is counted', () => {
  const byEvents = counted.filter(({ rate }) => rate === 'ingest').map(({ id }) => id)
  expect(byEvents.toSorted()).toEqual(Object.keys(eventBodies).toSorted())
})

test.each(counted.map((route) => ({ id: route.id, route })))(
  '$id counts down to nothing, and is then refused until the time that it says',
  async ({ route }) => {
    const limit = limitOf(route) ?? 0
    for (let remaining = limit - 1; remaining >= 0; remaining--) {
      const answer = await send(route)
      expect(answer.status, await answer.text()).not.toBe(429)
      expect(answer.headers.get('x-ratelimit-limit')).toBe(String(limit))
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(remaining))
    }
    const refused = await send(route)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('content-type')).toContain('application/problem+json')
    expect(await refused.json()).toMatchObject({ type: `${world.product.url}/problems/rate-limited` })
    expect(refused.headers.get('x-ratelimit-limit')).toBe(String(limit))
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
    const waitSeconds = Number(refused.headers.get('retry-after'))
    expect(waitSeconds).toBeGreaterThan(0)
    expect(Number(refused.headers.get('x-ratelimit-reset'))).toBeGreaterThanOrEqual(
      nowMs / 1000 + waitSeconds,
    )
    nowMs += waitSeconds * 1000
    expect((await send(route)).status).not.toBe(429)
  },
)
