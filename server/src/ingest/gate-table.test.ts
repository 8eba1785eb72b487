import {
  batch,
  createContract,
  createSite,
  deprecateContract,
  judgeReading,
  readIngest,
  readTrack,
  siteIngest,
  track,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firefox } from '../testing/browser.ts'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

let world: World
let shop: TestWorkspace
/** A site that requires consent, without any record. */
let asking: { id: string; ingestToken: string }

beforeAll(async () => {
  world = await startWorld()
  shop = await world.newWorkspace({ preset: 'strict' })
  const { control, people } = world.product.deps
  const gone = people.originalId(shop.workspaceId, { type: 'anonymous_id', value: 'gone' })
  await control.query(
    'INSERT INTO identity_suppressions (workspace_id, original_id, created_at) VALUES ($1, $2, now())',
    [shop.workspaceId, gone],
  )
  const site = { name: 'Asking', domain: 'asking.example', consentRegime: 'gdpr' } as const
  const made = (await shop.call(createSite, { body: site })).body
  asking = { id: made.id, ingestToken: made.ingestToken ?? '' }
  const properties = {
    size: { type: 'string', enum: ['s', 'm'] },
    code: { type: 'string', pattern: '^[a-z]+$' },
    seats: { type: 'number', minimum: 1 },
    shade: { type: 'string', deprecated: true },
  } as const
  for (const [key, additional] of [
    ['item_open', 'accept'],
    ['item_noted', 'warn'],
    ['item_closed', 'quarantine'],
    ['item_ended', 'accept'],
  ] as const) {
    await shop.call(createContract, { body: { key, properties, additional, status: 'published' } })
  }
  await shop.call(deprecateContract, { params: { key: 'item_ended' }, body: {} })
})
afterAll(() => world?.close())

type Row = {
  why: string
  name: string
  properties?: object
  /** Members of the envelope instead of the usual anonymous id. */
  members?: object
  site?: 'asking'
  outcome: 'accept' | 'warn' | 'quarantine' | 'reject'
  code: string | null
}

const fromPage = { key: null, headers: { 'user-agent': firefox } }
const login = { method: 'x' }
const long = 'x'.repeat(33_000)
const many = Object.fromEntries(Array.from({ length: 256 }, (_, index) => [`p${index}`, 1]))

/** Decisions §4, row by row. */
const gateTable: readonly Row[] = [
  { why: 'no name', name: '', outcome: 'reject', code: 'malformed_event' },
  {
    why: 'too large',
    name: '$login',
    properties: { ...login, long },
    outcome: 'reject',
    code: 'event_too_large',
  },
  {
    why: 'too many properties',
    name: '$login',
    properties: { ...login, ...many },
    outcome: 'reject',
    code: 'event_too_large',
  },
  {
    why: 'too deep',
    name: '$login',
    properties: { ...login, a: { b: { c: { d: { e: { f: 1 } } } } } },
    outcome: 'reject',
    code: 'event_too_large',
  },
  { why: 'a reserved name', name: '$nothing', outcome: 'reject', code: 'reserved_name' },
  { why: 'no event name', name: 'Ünknown thing!', outcome: 'quarantine', code: 'invalid_name' },
  { why: 'not in the registry', name: 'never_heard_of', outcome: 'quarantine', code: 'unknown_event' },
  { why: 'a required property missing', name: '$login', outcome: 'reject', code: 'required_missing' },
  {
    why: 'a required property that is null',
    name: '$login',
    properties: { method: null },
    outcome: 'reject',
    code: 'required_missing',
  },
  {
    why: 'a rule that leaves a gap',
    name: 'order_completed',
    outcome: 'quarantine',
    code: 'mapping_incomplete',
  },
  {
    why: 'a number as text',
    name: '$purchase',
    properties: { amount: '12.5', currency: 'EUR' },
    outcome: 'warn',
    code: 'type_coerced',
  },
  {
    why: 'a required wrong type',
    name: '$purchase',
    properties: { amount: [], currency: 'EUR' },
    outcome: 'reject',
    code: 'type_mismatch',
  },
  {
    why: 'an optional wrong type',
    name: '$login',
    properties: { ...login, two_factor: [] },
    outcome: 'warn',
    code: 'unexpected_type',
  },
  {
    why: 'no currency',
    name: '$purchase',
    properties: { amount: 1, currency: 'XQQ' },
    outcome: 'quarantine',
    code: 'value_not_allowed',
  },
  {
    why: 'no such value',
    name: 'item_open',
    properties: { size: 'xl' },
    outcome: 'quarantine',
    code: 'value_not_allowed',
  },
  {
    why: 'a broken pattern',
    name: 'item_open',
    properties: { code: '7' },
    outcome: 'quarantine',
    code: 'value_not_allowed',
  },
  {
    why: 'out of range',
    name: 'item_open',
    properties: { seats: 0 },
    outcome: 'quarantine',
    code: 'value_not_allowed',
  },
  { why: 'a property more', name: 'item_open', properties: { shoe: 43 }, outcome: 'accept', code: null },
  {
    why: 'a property more, noted',
    name: 'item_noted',
    properties: { shoe: 43 },
    outcome: 'warn',
    code: 'unexpected_property',
  },
  {
    why: 'a property more where none may be',
    name: 'item_closed',
    properties: { shoe: 43 },
    outcome: 'quarantine',
    code: 'unexpected_property',
  },
  {
    why: 'a property more of a standard event',
    name: '$login',
    properties: { ...login, shoe: 43 },
    outcome: 'accept',
    code: null,
  },
  { why: 'a deprecated contract', name: 'item_ended', outcome: 'warn', code: 'deprecated_key' },
  {
    why: 'a deprecated property',
    name: 'item_open',
    properties: { shade: 'red' },
    outcome: 'warn',
    code: 'deprecated_key',
  },
  {
    why: 'a card number',
    name: '$search',
    properties: { query: '4111 1111 1111 1111' },
    outcome: 'quarantine',
    code: 'pii_detected',
  },
  {
    why: 'a consent that is denied',
    name: '$login',
    properties: login,
    site: 'asking',
    outcome: 'reject',
    code: 'consent_denied',
  },
  {
    why: 'a person who was forgotten',
    name: '$login',
    properties: login,
    members: { anonymous_id: 'gone' },
    outcome: 'reject',
    code: 'suppressed',
  },
  { why: 'nothing wrong', name: '$login', properties: login, outcome: 'accept', code: null },
]

type Said = { outcome: string | undefined; codes: string[] }
const codesOf = (issues: readonly { code?: string }[] | undefined) =>
  (issues ?? []).map(({ code }) => code ?? '').toSorted()

function trackInput({ name, properties = {}, members = { anonymous_id: 'a' }, site }: Row) {
  return { event: name, ...members, properties, ...(site === 'asking' && { site_id: asking.id }) }
}

function ingestInput({ name, properties = {}, members }: Row) {
  return { type: name, anonymousId: members === undefined ? 'a' : 'gone', ...properties }
}

/** The library alone, with the server's knowledge. */
async function library(row: Row, endpoint: 'track' | 'ingest'): Promise<Said> {
  const { registry, consents, requireSite } = world.product.deps
  const site = await requireSite(shop.workspaceId, row.site === 'asking' ? asking.id : shop.siteId)
  const reading = endpoint === 'track' ? readTrack(trackInput(row)) : readIngest(ingestInput(row))
  if (reading.kind === 'alias') throw new Error('no alias was written')
  const wish =
    reading.kind === 'event' ? await consents.find(shop.workspaceId, reading.event, site, false) : {}
  const known = await registry.knowledge(shop.workspaceId, site.id)
  const keyClass = endpoint === 'track' ? 'secret' : 'public'
  const { outcome, issues } = judgeReading(reading, { ...known, ...wish, keyClass, receivedAt: Date.now() })
  return { outcome, codes: codesOf(issues) }
}

describe.each(gateTable)('the gate, on $why,', (row) => {
  /** What the table says, and nothing that the library does not say too. */
  async function expectTable(said: Said, endpoint: 'track' | 'ingest'): Promise<void> {
    expect(said.outcome).toBe(row.outcome)
    if (row.code === null) expect(said.codes).toEqual([])
    else expect(said.codes).toContain(row.code)
    expect(said).toEqual(await library(row, endpoint))
  }

  test('says so at /v1/track, as the library does', async () => {
    const { status, body, problem } = await shop.call(track, { body: trackInput(row) })
    const isRejected = row.outcome === 'reject'
    expect(status).toBe(isRejected ? 422 : 202)
    const outcome = isRejected ? String(problem.outcome) : body.outcome
    await expectTable({ outcome, codes: codesOf(isRejected ? problem.errors : body.issues) }, 'track')
  })

  test('says so in /v1/batch, as the library does', async () => {
    const { body } = await shop.call(batch, { body: { batch: [trackInput(row)] } })
    const [result] = body.results
    await expectTable({ outcome: result?.outcome, codes: codesOf(result?.issues) }, 'track')
  })

  test('says so at /api/ingest, as the library does', async () => {
    const { id: siteId, ingestToken: token } =
      row.site === 'asking' ? asking : { id: shop.siteId, ingestToken: shop.siteToken }
    const body = { siteId, token, events: [ingestInput(row)] }
    const answer = await shop.call(siteIngest, { body }, fromPage)
    const [result] = answer.body.results
    await expectTable({ outcome: result?.outcome, codes: codesOf(result?.issues) }, 'ingest')
  })
})

test('an event without an identifier is refused from a server, and counted without a name from a page', async () => {
  const nobody = { event: '$login', properties: login }
  const refused = await shop.call(track, { body: nobody })
  expect(refused.problem.errors).toMatchObject([{ code: 'missing_identifier' }])
  const inBatch = await shop.call(batch, { body: { batch: [nobody] } })
  expect(inBatch.body.results).toMatchObject([
    { outcome: 'reject', issues: [{ code: 'missing_identifier' }] },
  ])
  const events = [{ type: 'login', ...login }]
  const page = { siteId: shop.siteId, token: shop.siteToken, events }
  const counted = await shop.call(siteIngest, { body: page }, fromPage)
  expect(counted.body.results).toMatchObject([{ outcome: 'accept' }])
})

test.each([[null], ['text'], [[]]])('%j is not an event at any endpoint', async (input) => {
  const inBatch = await shop.call(batch, { body: { batch: [input] } })
  expect(inBatch.body.results).toMatchObject([{ outcome: 'reject', issues: [{ code: 'malformed_event' }] }])
  const body = { siteId: shop.siteId, token: shop.siteToken, events: [input] }
  const answer = await fetch(`${world.product.url}/api/ingest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(await answer.json()).toMatchObject({
    results: [{ outcome: 'reject', issues: [{ code: 'malformed_event' }] }],
  })
})
