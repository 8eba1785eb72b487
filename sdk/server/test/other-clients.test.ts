import { createRequire } from 'node:module'
import * as amplitude from '@amplitude/analytics-node'
import { Umami } from '@umami/node'
import Mixpanel from 'mixpanel'
import { PostHog } from 'posthog-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../../server/src/testing/harness.ts'

/** Clients of other tools, with host and key changed and nothing else. */
let world: World

beforeAll(async () => {
  world = await startWorld({ config: { ingestEventsPerSecond: 1e6 } })
})
afterAll(() => world?.close())

const count = 1_000
const people = 50
const indexes = Array.from({ length: count }, (_, index) => index)
const userOf = (index: number) => `u${index % people}`
const dayMs = 86_400_000
const timeOf = (index: number) => new Date(Date.now() - dayMs + index * 1_000)

type Stored = { name: string; user_id: string; events: string | number; plan: string }

async function stored(workspace: TestWorkspace): Promise<Stored[]> {
  await workspace.settle()
  return world.product.deps.events.query<Stored>(
    `SELECT toString(name) AS name, user_id, count() AS events, max(JSONExtractString(properties, 'plan')) AS plan
     FROM events WHERE workspace_id = {ws:String} GROUP BY name, user_id ORDER BY name, user_id`,
    { ws: workspace.workspaceId },
  )
}

async function held(workspace: TestWorkspace): Promise<unknown[]> {
  return world.product.deps.events.query(
    'SELECT name, code FROM quarantine WHERE workspace_id = {ws:String} LIMIT 5',
    { ws: workspace.workspaceId },
  )
}

/** Every event once, under its person. */
async function expectLogins(workspace: TestWorkspace): Promise<Stored[]> {
  const rows = await stored(workspace)
  expect(await held(workspace)).toEqual([])
  const logins = rows.filter(({ name }) => name === '$login')
  expect(logins.map(({ user_id }) => user_id).toSorted()).toEqual(
    Array.from({ length: people }, (_, index) => `u${index}`).toSorted(),
  )
  expect(logins.every(({ events }) => Number(events) === count / people)).toBe(true)
  return rows
}

const traitsOf = (rows: readonly Stored[], userId: string) =>
  rows.find(({ name, user_id }) => name === '$identify' && user_id === userId)?.plan

test('PostHog’s Node client has 1,000 events stored, each once with its person, and its traits', async () => {
  const workspace = await world.newWorkspace()
  const client = new PostHog(workspace.keys.secret, { host: world.product.url, flushAt: 100 })
  client.identify({ distinctId: 'u7', properties: { plan: 'pro' } })
  for (const index of indexes) {
    client.capture({
      distinctId: userOf(index),
      event: 'user_logged_in',
      timestamp: timeOf(index),
      properties: { method: 'google' },
    })
  }
  await client.shutdown()
  expect(traitsOf(await expectLogins(workspace), 'u7')).toBe('pro')
})

test('Amplitude’s Node client has 1,000 events stored, each once with its person, and its traits', async () => {
  const workspace = await world.newWorkspace()
  const client = amplitude.createInstance()
  await client.init(workspace.keys.secret, {
    serverUrl: `${world.product.url}/2/httpapi`,
    flushQueueSize: 200,
  }).promise
  client.identify(new amplitude.Identify().set('plan', 'pro'), { user_id: 'u7' })
  for (const index of indexes) {
    const options = { user_id: userOf(index), time: timeOf(index).getTime() }
    client.track('Sign In Completed', { method: 'google' }, options)
  }
  await client.flush().promise
  expect(traitsOf(await expectLogins(workspace), 'u7')).toBe('pro')
})

test('Mixpanel’s Node client has 1,000 events stored, each once with its person, and its traits', async () => {
  const workspace = await world.newWorkspace()
  const { hostname, port } = new URL(world.product.url)
  const client = Mixpanel.init(workspace.keys.secret, {
    host: `${hostname}:${port}`,
    protocol: 'http',
    keepAlive: false,
  })
  const done = (run: (callback: (error?: Error) => void) => void) =>
    new Promise<void>((resolve, reject) => run((error) => (error ? reject(error) : resolve())))
  await done((callback) => client.people.set('u7', { plan: 'pro' }, callback))
  const events = indexes.map((index) => ({
    event: 'Log In',
    properties: {
      distinct_id: userOf(index),
      time: timeOf(index),
      method: 'google',
      $insert_id: `i${index}`,
    },
  }))
  await new Promise<void>((resolve, reject) => {
    client.track_batch(events, (errors) => (errors?.length ? reject(errors[0]) : resolve()))
  })
  expect(traitsOf(await expectLogins(workspace), 'u7')).toBe('pro')
})

test('Mixpanel’s import has past events stored, of a secret key only', async () => {
  const workspace = await world.newWorkspace()
  const send = (key: string) =>
    fetch(`${world.product.url}/import?strict=1&project_id=1`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-ndjson',
        authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
      },
      body: indexes
        .map((index) =>
          JSON.stringify({
            event: 'Log In',
            properties: {
              distinct_id: userOf(index),
              time: 1_577_836_800 + index,
              method: 'x',
              $insert_id: `i${index}`,
            },
          }),
        )
        .join('\n'),
    })
  expect((await send(workspace.keys.public)).status).toBe(403)
  expect(await (await send(workspace.keys.secret)).json()).toMatchObject({
    code: 200,
    num_records_imported: count,
    assay: { accepted: count },
  })
  await expectLogins(workspace)
})

test('Matomo’s Node client has 1,000 actions stored, each once with its person, and orders in the site’s currency', async () => {
  const workspace = await world.newWorkspace()
  // boundary: the package has no types.
  const MatomoTracker = createRequire(import.meta.url)('matomo-tracker') as new (
    siteId: string,
    url: string,
  ) => { trackBulk: (actions: object[], done: (answer: string) => void) => void }
  const tracker = new MatomoTracker(workspace.keys.secret, `${world.product.url}/matomo.php`)
  const send = (actions: object[]) => new Promise<string>((resolve) => tracker.trackBulk(actions, resolve))
  const answer = await send(
    indexes.map((index) => ({
      url: `https://shop.example/p${index % 10}`,
      action_name: `Page ${index % 10}`,
      uid: userOf(index),
      cdt: Math.floor(timeOf(index).getTime() / 1_000),
    })),
  )
  expect(JSON.parse(answer)).toMatchObject({ status: 'success', tracked: count, invalid: 0 })
  const url = 'https://shop.example/thanks'
  await send([
    { url, uid: 'u1', idgoal: 0, ec_id: 'o-1', revenue: 12.5, ec_items: '[["sku-1","Shoes","",12.5,1]]' },
  ])
  const rows = await stored(workspace)
  expect(await held(workspace)).toEqual([])
  const views = rows.filter(({ name }) => name === '$pageview')
  expect(views).toHaveLength(people)
  expect(views.every(({ events }) => Number(events) === count / people)).toBe(true)
  const [order] = await world.product.deps.events.query(
    `SELECT toString(amount) AS amount, currency, order_id FROM events
     WHERE workspace_id = {ws:String} AND name = '$purchase'`,
    { ws: workspace.workspaceId },
  )
  expect(order).toEqual({ amount: '12.5', currency: 'EUR', order_id: 'o-1' })
})

test('Umami’s Node client has 1,000 page views and events stored, without an id of a person', async () => {
  const workspace = await world.newWorkspace()
  const client = new Umami({ websiteId: workspace.keys.public, hostUrl: world.product.url })
  const page = {
    hostname: 'shop.example',
    url: '/sale',
    title: 'Sale',
    language: 'de-DE',
    screen: '1440x900',
  }
  const half = count / 2
  for (let index = 0; index < half; index += 1) await client.track({ ...page, referrer: '' })
  for (let index = 0; index < half; index += 1) {
    const answer = await client.track({ ...page, name: 'login', data: { method: `m${index}` } })
    expect(await answer.json()).toMatchObject({ assay: { accepted: 1 } })
  }
  const rows = await stored(workspace)
  expect(await held(workspace)).toEqual([])
  expect(rows.map(({ name, user_id, events }) => [name, user_id, Number(events)])).toEqual([
    ['$login', '', half],
    ['$pageview', '', half],
  ])
})

test('the Measurement Protocol of Google Analytics has 1,000 events stored, each once with its person', async () => {
  const workspace = await world.newWorkspace()
  for (const user of Array.from({ length: people }, (_, index) => index)) {
    const events = indexes
      .filter((index) => index % people === user)
      .map((index) => ({
        name: 'login',
        params: { method: 'google', session_id: `s${user}`, engagement_time_msec: index },
        timestamp_micros: timeOf(index).getTime() * 1_000,
      }))
    const query = new URLSearchParams({ measurement_id: 'G-1', api_secret: workspace.keys.secret })
    const answer = await fetch(`${world.product.url}/mp/collect?${query}`, {
      method: 'POST',
      body: JSON.stringify({
        client_id: `c${user}`,
        user_id: `u${user}`,
        user_properties: { plan: { value: 'pro' } },
        events,
      }),
    })
    expect(answer.status).toBe(200)
  }
  expect(traitsOf(await expectLogins(workspace), 'u7')).toBe('pro')
})

test('what a client sends with another key, or with none, is refused', async () => {
  for (const path of [
    '/capture/',
    '/batch',
    '/api/event',
    '/api/send',
    '/mp/collect',
    '/2/httpapi',
    '/track',
    '/matomo.php',
  ]) {
    const answer = await fetch(`${world.product.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: 'phc_other', event: 'x', domain: 'shop.example' }),
    })
    expect([path, answer.status]).toEqual([path, 401])
  }
})
