import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  batch,
  createAudience,
  listDimensions,
  listValues,
  queryFunnel,
  runQuery,
  track,
} from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { cityFile, cityRecord } from '../testing/city-file.ts'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-places-'))
const file = join(folder, 'city.mmdb')
const networks = {
  '81.2.69.0/24': cityRecord('US', 'IL', 'Illinois', 'Springfield'),
  '81.2.70.0/24': cityRecord('US', 'MO', 'Missouri', 'Springfield'),
  '81.2.71.0/24': cityRecord('DE', 'BE', 'Land Berlin', 'Berlin'),
}

let world: World
let shop: TestWorkspace
beforeAll(async () => {
  writeFileSync(file, cityFile({ networks }))
  const { trustProxy, geoipFile } = readConfig({ ASSAY_TRUST_PROXY: 'loopback', ASSAY_GEOIP_FILE: file })
  world = await startWorld({ config: { trustProxy, geoipFile } })
  shop = await world.newWorkspace()
  for (const [index, ip] of addresses.entries()) await visit(`visitor-${index}`, { 'x-forwarded-for': ip })
  // A proxy that says more, and one that says another country.
  await visit('proxied', {
    'x-forwarded-for': '81.2.71.1',
    'cf-ipcountry': 'FR',
    'cf-region-code': 'IDF',
    'cf-ipcity': 'Paris',
  })
  await visit('elsewhere', { 'x-forwarded-for': '81.2.71.1', 'cf-ipcountry': 'AT' })
  await sendByBackEnd()
  await shop.settle()
}, 120_000)
afterAll(async () => {
  await world?.close()
  rmSync(folder, { recursive: true })
})

/** Two in Illinois, one in Missouri, one in Berlin, and one that only the packaged tables know. */
const addresses = ['81.2.69.1', '81.2.69.2', '81.2.70.1', '81.2.71.1', '8.8.8.8']

const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

async function visit(anonymous_id: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const body = { event: '$pageview', anonymous_id, properties: { url: 'https://shop.example/', title: 'x' } }
  const options = { key: shop.keys.public, headers: { 'user-agent': browser, ...headers } }
  expect((await shop.call(track, { body }, options)).status).toBeLessThan(300)
}

/** Its own address is not the visitor's: one with an address, one with a time zone, one with nothing. */
async function sendByBackEnd(): Promise<void> {
  const login = (anonymous_id: string, context: object) => ({
    ...{ type: 'track', event: '$login', anonymous_id, properties: { method: 'x' } },
    context: { userAgent: browser, ...context },
  })
  const events = [
    login('by-address', { ip: '81.2.71.9', timezone: 'Asia/Tokyo' }),
    login('by-zone', { timezone: 'Asia/Tokyo' }),
    login('by-nothing', {}),
  ]
  const answer = await shop.call(batch, { body: { batch: events } }, { key: shop.keys.secret })
  expect(answer.body.summary).toMatchObject({ accept: 3 })
}

const asked = () => ({ siteId: shop.siteId, window: '7d' as const })

async function visitorsBy(dimensions: readonly string[], filters: readonly unknown[] = []) {
  const body = { ...asked(), metrics: ['visitors'], dimensions, filters, limit: 100 }
  const answer = await shop.call(runQuery, { body: JSON.parse(JSON.stringify(body)) })
  expect(answer.status).toBe(200)
  return Object.fromEntries(
    answer.body.rows.map(({ dimensions: values, metrics }) => [values.join(' | '), metrics.visitors]),
  )
}

test('visitors are counted by their cities, and cities of one name apart', async () => {
  expect(await visitorsBy(['city'])).toEqual({
    'Springfield (US-IL)': 2,
    'Springfield (US-MO)': 1,
    'Berlin (DE-BE)': 2,
    'Paris (FR-IDF)': 1,
    '': 4,
  })
})

test('all parts of a place are from one source', async () => {
  expect(await visitorsBy(['country', 'region', 'city'])).toEqual({
    'US | US-IL | Springfield (US-IL)': 2,
    'US | US-MO | Springfield (US-MO)': 1,
    'DE | DE-BE | Berlin (DE-BE)': 2,
    'FR | FR-IDF | Paris (FR-IDF)': 1,
    'AT |  | ': 1,
    'US |  | ': 1,
    'JP |  | ': 1,
    ' |  | ': 1,
  })
})

test.each([
  [['is', 'city', ['Springfield (US-IL)']], 2],
  [['startsWith', 'city', ['springfield']], 3],
  [['is', 'region', ['us-mo']], 1],
  [['startsWith', 'region', ['US-']], 3],
  [['isSet', 'region'], 6],
  [['isNot', 'city', ['Berlin (DE-BE)']], 8],
])('%j selects', async (filter, visitors) => {
  const byNothing = await visitorsBy([], [filter])
  expect(byNothing).toEqual({ '': visitors })
})

test('both are listed, and their values are suggested, regions also by their names', async () => {
  const { body } = await shop.call(listDimensions, { query: { siteId: shop.siteId } })
  expect(body.dimensions).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'region', type: 'code', of: 'visit' }),
      expect.objectContaining({ name: 'city', type: 'text', of: 'visit' }),
    ]),
  )
  const valuesOf = async (dimension: string, search: string) => {
    const query = { ...asked(), dimension, search }
    return (await shop.call(listValues, { query })).body.values.map(({ value }) => value)
  }
  expect(await valuesOf('city', 'springf')).toEqual(['Springfield (US-IL)', 'Springfield (US-MO)'])
  expect(await valuesOf('region', 'illin')).toEqual(['US-IL'])
  expect(await valuesOf('region', 'us-')).toEqual(['US-IL', 'US-MO'])
  expect(await valuesOf('region', '%')).toEqual([])
})

test('a funnel is broken down by them', async () => {
  const body = {
    ...asked(),
    steps: [{ event: '$pageview' }, { event: '$login' }],
    breakdown: 'city' as const,
  }
  const { breakdown } = (await shop.call(queryFunnel, { body })).body
  expect(breakdown.find(({ key }) => key === 'Springfield (US-IL)')?.entered).toEqual([2, 0])
})

test('an audience takes people by them', async () => {
  const sizeOf = async (field: string, value: string) => {
    const rules = { all: [{ field, op: 'eq' as const, value }] }
    const body = { siteId: shop.siteId, name: `${field} ${value}`, rules }
    return (await shop.call(createAudience, { body })).body.size
  }
  expect(await sizeOf('city', 'Springfield (US-IL)')).toBe(2)
  expect(await sizeOf('region', 'US-MO')).toBe(1)
})

test('a newer file is used without a restart, and one that is broken is not', async () => {
  const { placeOf, refreshPlaces } = world.product.deps
  writeFileSync(file, 'broken')
  await expect(refreshPlaces()).rejects.toThrow(file)
  expect(placeOf('81.2.69.1').city).toBe('Springfield (US-IL)')
  writeFileSync(
    file,
    cityFile({ networks: { '81.2.69.0/24': cityRecord('US', 'IL', 'Illinois', 'Chicago') } }),
  )
  expect(await refreshPlaces()).toBe(true)
  expect(placeOf('81.2.69.1').city).toBe('Chicago (US-IL)')
})
