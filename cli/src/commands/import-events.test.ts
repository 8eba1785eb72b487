import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { methodlessCopies } from '../../../contract/src/testing/methodless.ts'
import { startWorld, type TestWorkspace, type World } from '../../../server/src/testing/harness.ts'
import { toolNames, tools } from '../import-events/tools.ts'
import { openShell, type Shell } from '../testing/shell.ts'

let world: World
let shop: TestWorkspace
let shell: Shell

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())
beforeEach(async () => {
  shop = await world.newWorkspace()
  shell = openShell()
})
afterEach(() => shell?.remove())

const place = () => ({ environment: { ASSAY_URL: world.product.url, ASSAY_KEY: shop.keys.secret } })
const lines = (records: readonly object[]) => records.map((record) => JSON.stringify(record)).join('\n')

type Stored = {
  name: string
  user_id: string
  anonymous_id: string
  at: string
  path: string
  amount: string | null
  place: string
}

async function stored(): Promise<Stored[]> {
  await shop.settle()
  return world.product.deps.events.query<Stored>(
    `SELECT toString(name) AS name, user_id, anonymous_id, toString(ts) AS at, path, toString(amount) AS amount,
            concat(country, ' ', region, ' ', city) AS place
     FROM events WHERE workspace_id = {ws:String} ORDER BY ts, name`,
    { ws: shop.workspaceId },
  )
}

/** One page view and one order or sign-in of each tool, written by hand after its documentation. */
const files: Readonly<
  Record<(typeof toolNames)[number], { name: string; text: string; expected: Partial<Stored>[] }>
> = {
  posthog: {
    name: 'events.jsonl',
    text: lines([
      {
        uuid: '0190b5a0-0000-7000-8000-000000000001',
        event: '$pageview',
        distinct_id: '0190b5a0-1111-7000-8000-000000000000',
        timestamp: '2024-01-01T10:00:00.000Z',
        properties:
          '{"$current_url": "https://shop.example/sale", "title": "Sale", "$geoip_country_code": "US", "$geoip_subdivision_1_code": "IL", "$geoip_city_name": "Springfield"}',
      },
      {
        uuid: '0190b5a0-0000-7000-8000-000000000002',
        event: 'purchase',
        distinct_id: 'u1',
        timestamp: '2024-01-01T10:01:00.000Z',
        properties: { revenue: 12.5, currency: 'EUR', order_id: 'o1' },
      },
    ]),
    expected: [
      {
        name: '$pageview',
        anonymous_id: '0190b5a0-1111-7000-8000-000000000000',
        path: '/sale',
        at: '2024-01-01 10:00:00.000',
        place: 'US US-IL Springfield (US-IL)',
      },
      { name: '$purchase', user_id: 'u1', amount: '12.5', at: '2024-01-01 10:01:00.000' },
    ],
  },
  mixpanel: {
    name: 'export.json',
    text: lines([
      {
        event: '$mp_web_page_view',
        properties: {
          time: 1_704_103_200,
          distinct_id: '$device:d1',
          $insert_id: 'm1',
          current_domain: 'shop.example',
          current_url_path: '/sale',
          current_page_title: 'Sale',
          mp_country_code: 'US',
          $region: 'Illinois',
          $city: 'Springfield',
        },
      },
      {
        event: 'Purchase Made',
        properties: {
          time: 1_704_103_260,
          distinct_id: 'u1',
          $insert_id: 'm2',
          revenue: 12.5,
          currency: 'EUR',
        },
      },
    ]),
    expected: [
      {
        name: '$pageview',
        anonymous_id: 'd1',
        path: '/sale',
        at: '2024-01-01 10:00:00.000',
        place: 'US US-IL Springfield (US-IL)',
      },
      { name: '$purchase', user_id: 'u1', amount: '12.5', at: '2024-01-01 10:01:00.000' },
    ],
  },
  amplitude: {
    name: '1_2024-01-01_10#0.json',
    text: lines([
      {
        event_type: '[Amplitude] Page Viewed',
        event_time: '2024-01-01 10:00:00.000000',
        device_id: 'd1',
        user_id: null,
        $insert_id: 'a1',
        country: 'United States',
        region: 'Illinois',
        city: 'Springfield',
        session_id: 1,
        event_properties: {
          '[Amplitude] Page Location': 'https://shop.example/sale',
          '[Amplitude] Page Title': 'Sale',
        },
        user_properties: {},
      },
      {
        event_type: 'Complete Purchase',
        event_time: '2024-01-01 10:01:00.000000',
        device_id: 'd1',
        user_id: 'u1',
        $insert_id: 'a2',
        session_id: 1,
        event_properties: { revenue: 12.5, currency: 'EUR' },
        user_properties: {},
      },
    ]),
    expected: [
      {
        name: '$pageview',
        anonymous_id: 'd1',
        path: '/sale',
        at: '2024-01-01 10:00:00.000',
        place: 'US US-IL Springfield (US-IL)',
      },
      { name: '$purchase', user_id: 'u1', amount: '12.5', at: '2024-01-01 10:01:00.000' },
    ],
  },
  segment: {
    name: 'segment.json',
    text: lines([
      {
        type: 'page',
        messageId: 's1',
        anonymousId: 'd1',
        timestamp: '2024-01-01T10:00:00.000Z',
        name: 'Sale',
        properties: { url: 'https://shop.example/sale', title: 'Sale' },
        context: { location: { country: 'United States', region: 'Illinois', city: 'Springfield' } },
        writeKey: 'x',
        integrations: {},
      },
      {
        type: 'track',
        event: 'Order Completed',
        messageId: 's2',
        userId: 'u1',
        timestamp: '2024-01-01T10:01:00.000Z',
        properties: { total: 12.5, currency: 'EUR', order_id: 'o1' },
      },
    ]),
    expected: [
      {
        name: '$pageview',
        anonymous_id: 'd1',
        path: '/sale',
        at: '2024-01-01 10:00:00.000',
        place: 'US US-IL Springfield (US-IL)',
      },
      { name: '$purchase', user_id: 'u1', amount: '12.5', at: '2024-01-01 10:01:00.000' },
    ],
  },
  ga4: {
    name: 'events_20240101.json',
    text: lines([
      {
        event_name: 'page_view',
        event_timestamp: '1704103200000000',
        user_pseudo_id: 'd1',
        geo: { continent: 'Americas', country: 'United States', region: 'Illinois', city: 'Springfield' },
        event_params: [
          { key: 'page_location', value: { string_value: 'https://shop.example/sale' } },
          { key: 'page_title', value: { string_value: 'Sale' } },
          { key: 'ga_session_id', value: { int_value: '1704103200' } },
        ],
      },
      {
        event_name: 'purchase',
        event_timestamp: '1704103260000000',
        user_pseudo_id: 'd1',
        user_id: 'u1',
        geo: { country: 'United States', region: '(not set)', city: '(not set)' },
        event_params: [{ key: 'currency', value: { string_value: 'EUR' } }],
        ecommerce: { transaction_id: 'o1', purchase_revenue: 12.5 },
      },
    ]),
    expected: [
      {
        name: '$pageview',
        anonymous_id: 'd1',
        path: '/sale',
        at: '2024-01-01 10:00:00.000',
        place: 'US US-IL Springfield (US-IL)',
      },
      { name: '$purchase', user_id: 'u1', amount: '12.5', at: '2024-01-01 10:01:00.000' },
    ],
  },
  plausible: {
    name: 'events_v2.csv',
    text: [
      'name,timestamp,user_id,session_id,hostname,pathname,referrer,utm_source,country_code,subdivision1_code,city_geoname_id,meta.key,meta.value',
      'pageview,2024-01-01 10:00:00,17,1,shop.example,/sale,,,US,US-IL,4250542,[],[]',
      `login,2024-01-01 10:01:00,17,1,shop.example,/login,,,,,0,"['method']","['google']"`,
    ].join('\n'),
    expected: [
      {
        name: '$pageview',
        anonymous_id: '17',
        path: '/sale',
        at: '2024-01-01 10:00:00.000',
        place: 'US US-IL ',
      },
      { name: '$login', anonymous_id: '17', at: '2024-01-01 10:01:00.000', place: '  ' },
    ],
  },
  umami: {
    name: 'website_event.csv',
    text: [
      'event_id,session_id,visit_id,created_at,url_path,url_query,referrer_domain,page_title,event_type,event_name,hostname,country,region,city',
      'e1,s1,v1,2024-01-01 10:00:00,/sale,,,Sale,1,,shop.example,US,US-IL,Springfield',
      'e2,s1,v1,2024-01-01 10:01:00,/sale,,,Sale,2,newsletter_opened,shop.example,US,,',
    ].join('\n'),
    expected: [
      {
        name: '$pageview',
        anonymous_id: 's1',
        path: '/sale',
        at: '2024-01-01 10:00:00.000',
        place: 'US US-IL Springfield (US-IL)',
      },
      { name: 'newsletter_opened', anonymous_id: 's1', at: '2024-01-01 10:01:00.000', place: 'US  ' },
    ],
  },
  matomo: {
    name: 'visits.json',
    text: JSON.stringify(
      [
        {
          idVisit: 7,
          visitorId: 'a1b2c3d4e5f60718',
          countryCode: 'us',
          regionCode: 'IL',
          city: 'Springfield',
          actionDetails: [
            { type: 'action', url: 'https://shop.example/sale', pageTitle: 'Sale', timestamp: 1_704_103_200 },
            {
              type: 'ecommerceOrder',
              orderId: 'o1',
              revenue: '12.5',
              currencyCode: 'EUR',
              timestamp: 1_704_103_260,
              itemDetails: [],
            },
          ],
        },
      ],
      null,
      2,
    ),
    expected: [
      {
        name: '$pageview',
        anonymous_id: 'a1b2c3d4e5f60718',
        path: '/sale',
        at: '2024-01-01 10:00:00.000',
        place: 'US US-IL Springfield (US-IL)',
      },
      { name: '$purchase', anonymous_id: 'a1b2c3d4e5f60718', amount: '12.5', at: '2024-01-01 10:01:00.000' },
    ],
  },
  csv: {
    name: 'orders.csv',
    text: [
      'type,created,customer_id,amount,currency,land,city',
      'purchase,2024-01-01 10:01:00,u1,12.5,EUR,US,Springfield',
    ].join('\n'),
    expected: [
      { name: '$purchase', user_id: 'u1', amount: '12.5', at: '2024-01-01 10:01:00.000', place: 'US  ' },
    ],
  },
}
const columnsOf: Readonly<Record<string, readonly string[]>> = {
  csv: ['--column', 'event=type', '--column', 'time=created', '--column', 'country=land'],
}

describe('history comes along', () => {
  test.each(toolNames)(
    'of %s, each event once with its name, person and time, however often it is sent',
    async (tool) => {
      const { name, text, expected } = files[tool]
      shell.write(name, text)
      const call = ['import-events', '--from', tool, name, ...(columnsOf[tool] ?? [])]
      const tried = await shell.assay([...call, '--dry-run', '--json'], place())
      expect([tried.exitCode, tried.err]).toEqual([0, ''])
      expect(await stored()).toEqual([])
      const first = await shell.assay([...call, '--json'], place())
      expect(first.json()).toMatchObject({ quarantine: 0, reject: 0, duplicate: 0, unreadable: 0 })
      const again = await shell.assay([...call, '--json'], place())
      expect(again.json()).toMatchObject({ accept: 0, warn: 0, duplicate: expected.length })
      expect(await stored()).toMatchObject(expected)
    },
  )
})

const logins = (count: number) =>
  lines(
    Array.from({ length: count }, (_, index) => ({
      uuid: `i-${index}`,
      event: 'login',
      distinct_id: `u${index % 10}`,
      timestamp: new Date(1_704_103_200_000 + index * 1_000).toISOString(),
      properties: { method: 'google' },
    })),
  )

test('a compressed file of 25,000 events that is cut off continues where it stopped', async () => {
  const count = 25_000
  writeFileSync(join(shell.directory, 'events.jsonl.gz'), gzipSync(logins(count)))
  let calls = 0
  const failing: typeof fetch = (...call) => {
    calls += 1
    // The thirteenth batch finds no server.
    return calls === 13 ? Promise.reject(new TypeError('fetch failed')) : fetch(...call)
  }
  const call = ['import-events', '--from', 'posthog', 'events.jsonl.gz', '--json']
  const broken = await shell.assay(call, { ...place(), fetch: failing })
  expect(broken.exitCode).toBe(3)
  const resumed = await shell.assay(call, place())
  expect(resumed.exitCode).toBe(0)
  const { accept, duplicate } = resumed.json()
  expect(Number(accept) + Number(duplicate)).toBe(count)
  const rows = await stored()
  expect(rows.length).toBe(count)
  // The file of the progress is gone with its end.
  expect(Object.keys(shell.snapshot()).filter((name) => name.includes('import'))).toEqual([])
}, 180_000)

test('what is no record, no event or no file is said, and nothing else is lost', async () => {
  shell.write('events.jsonl', `no json\n[1]\n${logins(2)}\n{"event": 5}\n`)
  const sent = await shell.assay(['import-events', '--from', 'posthog', 'events.jsonl', '--json'], place())
  expect(sent.exitCode).toBe(1)
  expect(sent.json()).toMatchObject({ accept: 2, reject: 1, unreadable: 2 })
  const nowhere = await shell.assay(['import-events', '--from', 'posthog', 'nothing.jsonl'], place())
  expect([nowhere.exitCode, nowhere.err]).toEqual([2, expect.stringContaining('is no file')])
  const unknown = await shell.assay(['import-events', '--from', 'heap', 'events.jsonl'], place())
  expect([unknown.exitCode, unknown.err]).toEqual([2, expect.stringContaining('posthog')])
})

test('two equal rows are two events, and sent again still two', async () => {
  const row = 'pageview,2024-01-01 10:00:00,17,1,shop.example,/sale'
  shell.write('events.csv', ['name,timestamp,user_id,session_id,hostname,pathname', row, row].join('\n'))
  const call = ['import-events', '--from', 'plausible', 'events.csv', '--json']
  for (let turn = 0; turn < 2; turn += 1) await shell.assay(call, place())
  expect(await stored()).toHaveLength(2)
})

test('a visit with more actions than fit into a request is sent in parts', async () => {
  const actions = Array.from({ length: 2_500 }, (_, index) => ({
    type: 'action',
    url: `https://shop.example/${index}`,
    pageTitle: 'Page',
    timestamp: 1_704_103_200 + index,
  }))
  shell.write('visits.json', JSON.stringify([{ idVisit: 7, visitorId: 'v1', actionDetails: actions }]))
  const sent = await shell.assay(['import-events', '--from', 'matomo', 'visits.json', '--json'], place())
  expect(sent.json()).toMatchObject({ accept: 2_500, reject: 0 })
})

test('an archive that ends too early is said, and not taken for the whole', async () => {
  const bytes = gzipSync(logins(5_000))
  writeFileSync(join(shell.directory, 'cut.jsonl.gz'), bytes.subarray(0, bytes.length / 2))
  const sent = await shell.assay(['import-events', '--from', 'posthog', 'cut.jsonl.gz'], place())
  expect([sent.exitCode, sent.err]).toEqual([2, expect.stringContaining('cannot be read')])
})

const inJson = toolNames.filter((tool) => tools[tool].format === 'json')
test.each(inJson)('a record of %s with an object that has no methods at any place is translated', (tool) => {
  const text = files[tool].text
  const records: unknown[] = text.startsWith('[')
    ? JSON.parse(text)
    : text.split('\n').map((line) => JSON.parse(line))
  for (const copy of records.flatMap(methodlessCopies)) {
    expect(tools[tool].toCalls(Object(copy), {})).toBeInstanceOf(Array)
  }
})
