import {
  archiveContract,
  builtInEvents,
  type ContractDraft,
  createContract,
  deprecateContract,
  generateCode,
  getContract,
  installPack,
  listContracts,
  listPacks,
  type Output,
  publishContract,
  track,
  validateEvents,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

let world: World
let ours: TestWorkspace
let theirs: TestWorkspace

/** More than the tests of this file need. */
const [readsPerMinute, writesPerMinute] = [100_000, 50_000]
const callsPerMinute = {
  apiRead: 1,
  apiWrite: 1,
  open: 1_000,
  controlRead: readsPerMinute,
  controlWrite: writesPerMinute,
  person: 1e9,
  signIn: 1e9,
}

beforeAll(async () => {
  world = await startWorld({ config: { callsPerMinute } })
  ours = await world.newWorkspace({ preset: 'strict' })
  theirs = await world.newWorkspace({ preset: 'strict' })
})
afterAll(() => world?.close())

let made = 0
function freshKey(): string {
  made += 1
  return `event_${made}`
}

const create = (body: ContractDraft) => ours.call(createContract, { body })
const publish = (key: string, body: object = {}) => ours.call(publishContract, { params: { key }, body })

describe('a new contract', () => {
  test('is a draft with sensible defaults and version 1-0-0', async () => {
    const key = freshKey()
    const answer = await create({ key, properties: { plan: { type: 'string', required: true } } })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      key,
      name: key,
      version: '1-0-0',
      status: 'draft',
      source: 'custom',
      description: '',
      additional: 'accept',
      purpose: 'analytics_storage',
      surfaces: ['web', 'ios', 'android', 'server'],
      published_at: null,
      compatibility: { compatible: true, breaks: [] },
      unchanged: false,
      dry_run: false,
    })
  })

  test('is read back exactly as it was written, nested to the full depth, in the same order', async () => {
    const key = freshKey()
    const properties = {
      zeta: { type: 'string', enum: ['b', 'a'], description: 'Of “all” kinds', pii: 'allow' },
      alpha: { type: 'number', minimum: 0, maximum: 10, required: true },
      ['__proto__']: { type: 'string', deprecated: true },
      cart: {
        type: 'array',
        items: {
          type: 'object',
          properties: { tags: { type: 'array', items: { type: 'string', pattern: '^[a-z]+$' } } },
        },
      },
    } as const
    const more = { owner: 'growth', category: 'Trial', additional: 'warn', purpose: 'ad_storage' } as const
    const severities = { value_not_allowed: 'warn' } as const
    await create({ key, description: 'x', properties, ...more, surfaces: ['web'], severities })
    const { body } = await ours.call(getContract, { params: { key }, query: {} })
    expect(body).toMatchObject({ description: 'x', ...more, surfaces: ['web'], severities })
    expect(body.properties).toEqual(properties)
    expect(Object.keys(body.properties)).toEqual(Object.keys(properties))
  })

  test('of a key with $ is refused as reserved, and one of our own events as a conflict', async () => {
    for (const key of ['$purchase', '$trial_extended']) {
      const answer = await create({ key })
      expect(answer.status).toBe(422)
      expect(answer.problem.type).toMatch(/reserved-name$/)
    }
    for (const key of ['purchase', 'error']) {
      const answer = await create({ key })
      expect(answer.status).toBe(409)
      expect(answer.problem.detail).toContain('whose contract is fixed')
    }
  })

  test.each([
    ['a pattern that could run forever', { a: { type: 'string', pattern: '(a+)+$' } }, 'properties.a'],
    ['an enum of another type', { a: { type: 'number', enum: ['1'] } }, 'properties.a'],
    ['items on a string', { a: { type: 'string', items: { type: 'string' } } }, 'properties.a'],
    ['an unknown type deep inside', { a: { type: 'array', items: { type: 'date' } } }, 'properties.a[]'],
    [
      'an unknown member deep inside',
      { a: { type: 'object', properties: { b: { type: 'string', min: 1 } } } },
      'properties.a.b',
    ],
    ['no type deep inside', { a: { type: 'object', properties: { b: {} } } }, 'properties.a.b'],
    ['a line break in a name', { 'a\nb': { type: 'string' } }, 'properties.a\ufffdb'],
    ['an empty name', { '': { type: 'string' } }, 'properties.'],
  ])('with %s is refused with the path', async (_what, properties, path) => {
    // boundary: what is wrong here is wrong in the type as well.
    const answer = await create({ key: freshKey(), properties: properties as never })
    expect(answer.status).toBe(422)
    expect(answer.problem.type).toMatch(/invalid-parameter$/)
    const fields = (answer.problem.errors ?? []).map(({ field }) => field)
    expect(
      fields.some((field) => field.startsWith(path)),
      fields.join(),
    ).toBe(true)
  })

  const nested = (levels: number) => {
    let rule: object = { type: 'string' }
    for (let depth = 0; depth < levels; depth += 1) rule = { type: 'object', properties: { a: rule } }
    // boundary: the type of the route knows one level only.
    return create({ key: freshKey(), properties: { a: rule as never } })
  }

  test('that nests too deep is refused with the path, and one beyond what JSON may nest as a request', async () => {
    expect((await nested(2_000)).status).toBe(400)
    const answer = await nested(90)
    expect(answer.status).toBe(422)
    expect(answer.problem.errors).toEqual([
      { field: 'properties.a.a.a.a.a.a', message: expect.stringContaining('5 levels') },
    ])
  })

  test('lists every problem at once', async () => {
    const answer = await create({
      key: freshKey(),
      properties: { a: { type: 'string', minimum: 1 }, b: { type: 'number', minimum: 2, maximum: 1 } },
      severities: { no_such_code: 'warn', consent_denied: 'accept' },
    })
    expect(answer.problem.errors?.map(({ field }) => field)).toEqual([
      'properties.a',
      'properties.b',
      'severities.no_such_code',
      'severities.consent_denied',
    ])
  })

  test('of more than 100,000 bytes is refused, naming the limit', async () => {
    const values = Array.from({ length: 500 }, (_, index) => `${index}`.padEnd(210, 'x'))
    const answer = await create({ key: freshKey(), properties: { a: { type: 'string', enum: values } } })
    expect(answer.status).toBe(413)
    expect(answer.problem.detail).toContain('100000')
  })

  test('with a description that the store cannot hold is refused', async () => {
    expect((await create({ key: freshKey(), description: 'a\u0000b' })).status).toBe(422)
  })

  test('can name as its successor only another contract that exists', async () => {
    const key = freshKey()
    expect((await create({ key, replaced_by: key })).status).toBe(422)
    expect((await create({ key, replaced_by: 'no_such_contract' })).status).toBe(422)
    expect((await create({ key, replaced_by: 'purchase' })).status).toBe(201)
  })
})

describe('a new version', () => {
  const plan = { plan: { type: 'string', required: true } } as const

  async function published(): Promise<string> {
    const key = freshKey()
    await create({ key, description: 'First', properties: plan, status: 'published' })
    return key
  }

  test.each([
    ['texts make a patch', { description: 'Second' }, '1-0-1'],
    [
      'an optional property makes a minor one',
      { properties: { ...plan, seats: { type: 'number' } } },
      '1-1-0',
    ],
    [
      'a required property makes a major one',
      { properties: { ...plan, seats: { type: 'number', required: true } } },
      '2-0-0',
    ],
    ['another type makes a major one', { properties: { plan: { type: 'number', required: true } } }, '2-0-0'],
  ] as const)('is numbered by what changed: %s', async (_what, change, version) => {
    const key = await published()
    const answer = await create({ key, ...change })
    expect(answer.body).toMatchObject({ version, status: 'draft', unchanged: false })
    expect(answer.body.compatibility.compatible).toBe(!version.startsWith('2'))
  })

  test('leaves out what stays as it is', async () => {
    const key = await published()
    const { body } = await create({ key, owner: 'growth' })
    expect(body).toMatchObject({ version: '1-0-1', description: 'First', owner: 'growth', properties: plan })
  })

  test('is not made when nothing changed', async () => {
    const key = await published()
    const again = await create({ key, description: 'First', properties: plan, status: 'published' })
    expect(again.body).toMatchObject({ version: '1-0-0', status: 'published', unchanged: true })
    const { body } = await ours.call(getContract, { params: { key }, query: {} })
    expect(body.versions).toHaveLength(1)
  })

  test('that says what the newest draft says publishes that draft', async () => {
    const key = freshKey()
    await create({ key, properties: plan })
    const answer = await create({ key, properties: plan, status: 'published' })
    expect(answer.body).toMatchObject({ version: '1-0-0', status: 'published', unchanged: true })
  })

  test('that is lower or equal is a conflict, whether or not the other was published', async () => {
    const key = await published()
    await create({ key, version: '1-2-0', description: 'Draft' })
    for (const version of ['1-0-0', '1-1-9', '1-2-0']) {
      const answer = await create({ key, version, description: 'Other' })
      expect(answer.status).toBe(409)
      expect(answer.problem).toMatchObject({ newest_version: '1-2-0' })
    }
    expect((await create({ key, version: '1-2-1', description: 'Other' })).status).toBe(201)
  })

  test('that breaks senders under a compatible number is a conflict that names what breaks', async () => {
    const key = await published()
    const properties = {
      plan: { type: 'number', required: true },
      seats: { type: 'number', required: true },
    } as const
    const answer = await create({ key, version: '1-1-0', properties })
    expect(answer.status).toBe(409)
    const breaks = [
      { path: 'properties.plan', what: 'type changed from string to number' },
      { path: 'properties.seats', what: 'a required property was added' },
    ]
    expect(answer.problem.breaks).toEqual(breaks)
    expect(answer.problem.errors).toEqual(breaks.map(({ path, what }) => ({ field: path, message: what })))
    const major = await create({ key, version: '2-0-0', properties })
    expect(major.body.compatibility).toEqual({ compatible: false, breaks })
  })

  test('is checked as a whole and stored not at all in a dry run', async () => {
    const key = await published()
    const dry = await create({ key, description: 'Second', dry_run: true })
    expect(dry.body).toMatchObject({ version: '1-0-1', dry_run: true })
    expect((await create({ key, version: '1-0-0', description: 'x', dry_run: true })).status).toBe(409)
    const { body } = await ours.call(getContract, { params: { key }, query: {} })
    expect(body.versions.map(({ version }) => version)).toEqual(['1-0-0'])
  })

  test('gets a number of its own when many are made at once', async () => {
    const key = await published()
    const texts = Array.from({ length: 8 }, (_, index) => `Text ${index}`)
    const answers = await Promise.all(texts.map((description) => create({ key, description })))
    expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 201))
    expect(new Set(answers.map(({ body }) => body.version)).size).toBe(texts.length)
  })

  test('of another workspace is a contract of its own', async () => {
    const key = await published()
    const { body } = await theirs.call(createContract, { body: { key, description: 'Theirs' } })
    expect(body).toMatchObject({ version: '1-0-0', properties: {} })
  })
})

describe('limits', () => {
  test('count a dry run and a validation as a read, and only what is stored as a write', async () => {
    const limited = await world.newWorkspace({ preset: 'strict' })
    const remaining = async (answer: Promise<{ headers: Headers }>) => {
      const { headers } = await answer
      return [headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')].map(Number)
    }
    const body = { key: 'any_event', dry_run: true }
    const dry = () => limited.call(createContract, { body })
    expect(await remaining(dry())).toEqual([readsPerMinute, readsPerMinute - 1])
    const validating = limited.call(validateEvents, { body: { event: {} } })
    expect(await remaining(validating)).toEqual([readsPerMinute, readsPerMinute - 2])
    const stored = limited.call(createContract, { body: { key: 'any_event' } })
    expect(await remaining(stored)).toEqual([writesPerMinute, writesPerMinute - 1])
  })
})

describe('reading', () => {
  test('shows the live version, any other on demand, and all in the history', async () => {
    const key = freshKey()
    await create({ key, description: 'One', status: 'published' })
    await create({ key, description: 'Two' })
    const current = await ours.call(getContract, { params: { key }, query: {} })
    expect(current.body).toMatchObject({ version: '1-0-0', status: 'published', description: 'One' })
    expect(current.body.versions.map(({ version, status }) => `${version} ${status}`)).toEqual([
      '1-0-1 draft',
      '1-0-0 published',
    ])
    const draft = await ours.call(getContract, { params: { key }, query: { version: '1-0-1' } })
    expect(draft.body).toMatchObject({ status: 'draft', description: 'Two' })
  })

  test('shows standard and built-in events by key', async () => {
    const purchase = await ours.call(getContract, { params: { key: 'purchase' }, query: {} })
    expect(purchase.body).toMatchObject({ name: '$purchase', source: 'standard', created_at: null })
    const error = await ours.call(getContract, { params: { key: 'error' }, query: { version: '1-0-0' } })
    expect(error.body).toMatchObject({ name: 'error', source: 'built_in' })
  })

  test('does not find a key or version that is not there, nor one of another workspace', async () => {
    const key = freshKey()
    await create({ key })
    const absent = await theirs.call(getContract, { params: { key: 'no_such_contract' }, query: {} })
    const foreign = await theirs.call(getContract, { params: { key }, query: {} })
    expect(absent.status).toBe(404)
    expect({ ...foreign.problem, instance: '' }).toEqual({ ...absent.problem, instance: '' })
    for (const params of [{ key }, { key: 'purchase' }]) {
      expect((await ours.call(getContract, { params, query: { version: '9-0-0' } })).status).toBe(404)
    }
  })
})

describe('the list', () => {
  type Query = Parameters<typeof ours.call<typeof listContracts>>[1]['query']
  let shop: TestWorkspace
  const make = (body: ContractDraft) => shop.call(createContract, { body })

  beforeAll(async () => {
    shop = await world.newWorkspace({ preset: 'strict' })
    await make({ key: 'aa_first', description: 'Zeppelin flights', status: 'published' })
    await make({ key: 'aa_first', description: 'Airships' })
    await make({ key: 'mm_middle', description: 'Only a draft' })
    await make({ key: 'zz_last', status: 'published' })
    await shop.call(archiveContract, { params: { key: 'zz_last' } })
  })

  async function keys(query: Query): Promise<string[]> {
    const found: string[] = []
    let cursor: string | undefined
    do {
      const { body } = await shop.call(listContracts, { query: { ...query, ...(cursor && { cursor }) } })
      found.push(...body.data.map(({ key }) => key))
      cursor = body.next_cursor ?? undefined
    } while (cursor !== undefined)
    return found
  }

  test('holds standard, built-in and custom contracts by key, each once, on pages of any size', async () => {
    const all = await keys({})
    expect(all).toHaveLength(18 + builtInEvents.length + 3)
    expect(all).toEqual(all.toSorted())
    for (const limit of [1, 2, 7, 200]) expect(await keys({ limit })).toEqual(all)
  })

  test('stays stable while contracts are added', async () => {
    const first = await shop.call(listContracts, { query: { limit: 3 } })
    await make({ key: 'aa_earlier' })
    const cursor = first.body.next_cursor ?? ''
    const second = await shop.call(listContracts, { query: { limit: 3, cursor } })
    const seen = first.body.data.map(({ key }) => key)
    expect(second.body.data.every(({ key }) => !seen.includes(key))).toBe(true)
    await shop.call(archiveContract, { params: { key: 'aa_earlier' } })
  })

  test('is filtered by source, status and part of a text', async () => {
    expect(await keys({ source: 'standard' })).toHaveLength(18)
    expect(await keys({ source: 'custom', status: 'published' })).toEqual(['aa_first'])
    expect(await keys({ status: 'draft' })).toEqual(['aa_first', 'mm_middle'])
    expect(await keys({ status: 'archived', q: 'zz' })).toEqual(['zz_last'])
    expect(await keys({ q: 'ZEPPELIN' })).toEqual(['aa_first'])
    expect(await keys({ q: '$purch' })).toEqual(['purchase'])
    expect(await keys({ q: '%' })).toEqual([])
  })

  test('shows the live version, and for drafts the newest', async () => {
    const page = await shop.call(listContracts, { query: { q: 'aa_first' } })
    expect(page.body.data).toMatchObject([{ version: '1-0-0', description: 'Zeppelin flights' }])
    const drafts = await shop.call(listContracts, { query: { status: 'draft', limit: 1 } })
    expect(drafts.body.data).toMatchObject([{ version: '1-0-1', description: 'Airships' }])
  })

  test('refuses a cursor that it did not give', async () => {
    expect((await shop.call(listContracts, { query: { cursor: 'A\u0000' } })).status).toBe(422)
  })
})

describe('publishing', () => {
  test('puts the newest draft, or the one named, into force', async () => {
    const key = freshKey()
    await create({ key, description: 'One' })
    await create({ key, description: 'Two' })
    const one = await publish(key, { version: '1-0-0' })
    expect(one.status).toBe(200)
    expect(one.body).toMatchObject({ version: '1-0-0', status: 'published', held: { would_pass: 0 } })
    expect(one.body.published_at).not.toBeNull()
    expect((await publish(key)).body).toMatchObject({ version: '1-0-1', status: 'published' })
  })

  test('of what is not there is not found; of what is no draft, or ours, a conflict', async () => {
    const key = freshKey()
    expect((await publish(key)).status).toBe(404)
    await create({ key, status: 'published' })
    expect((await publish(key, { version: '3-0-0' })).status).toBe(404)
    for (const body of [{}, { version: '1-0-0' }]) expect((await publish(key, body)).status).toBe(409)
    expect((await publish('purchase')).status).toBe(409)
    expect((await theirs.call(publishContract, { params: { key }, body: {} })).status).toBe(404)
  })

  test('of a draft that a newer published version has passed is a conflict', async () => {
    const key = freshKey()
    await create({ key, description: 'One' })
    await create({ key, description: 'Two', status: 'published' })
    const answer = await publish(key, { version: '1-0-0' })
    expect(answer.status).toBe(409)
    expect(answer.problem.detail).toContain('1-0-1')
  })

  test('of a draft that breaks what was published since is a conflict that names what breaks', async () => {
    const key = freshKey()
    await create({ key, status: 'published' })
    await create({ key, version: '1-1-0', properties: { seats: { type: 'number' } } })
    await create({ key, version: '1-2-0', properties: { seats: { type: 'string' } } })
    expect((await publish(key, { version: '1-1-0' })).status).toBe(200)
    const answer = await publish(key, { version: '1-2-0' })
    expect(answer.status).toBe(409)
    expect(answer.problem.breaks).toEqual([
      { path: 'properties.seats', what: 'type changed from number to string' },
    ])
  })

  test('can be tried out', async () => {
    const key = freshKey()
    await create({ key })
    expect((await publish(key, { dry_run: true })).body).toMatchObject({ dry_run: true, status: 'published' })
    expect((await ours.call(getContract, { params: { key }, query: {} })).body.status).toBe('draft')
  })
})

describe('the end of a contract', () => {
  const send = (event: string, members: object = {}) =>
    ours.call(validateEvents, { body: { event: { event, user_id: 'u1', properties: {}, ...members } } })

  test('deprecation warns senders of every version and names the successor; a new version is fresh', async () => {
    const key = freshKey()
    await create({ key, status: 'published' })
    await create({ key, properties: { a: { type: 'string' } }, status: 'published' })
    const params = { key }
    expect(
      (await ours.call(deprecateContract, { params, body: { replaced_by: 'nothing_such' } })).status,
    ).toBe(422)
    const answer = await ours.call(deprecateContract, { params, body: { replaced_by: 'purchase' } })
    expect(answer.body).toMatchObject({ version: '1-1-0', status: 'deprecated', replaced_by: 'purchase' })
    for (const contract_version of ['1-0-0', '1-1-0']) {
      const [result] = (await send(key, { contract_version })).body.results
      expect(result).toMatchObject({
        outcome: 'warn',
        contract_version,
        issues: [{ code: 'deprecated_key' }],
      })
    }
    const revived = await create({ key, status: 'published' })
    expect(revived.body).toMatchObject({ version: '1-1-1', status: 'published' })
    expect(revived.body.replaced_by).toBeUndefined()
    expect((await send(key)).body.outcome).toBe('accept')
  })

  test('archiving makes the event unknown again', async () => {
    const key = freshKey()
    await create({ key, status: 'published' })
    expect((await send(key)).body.outcome).toBe('accept')
    const answer = await ours.call(archiveContract, { params: { key } })
    expect(answer.body).toMatchObject({ status: 'archived' })
    const [result] = (await send(key)).body.results
    expect(result).toMatchObject({ outcome: 'quarantine', issues: [{ code: 'unknown_event' }] })
    expect((await ours.call(archiveContract, { params: { key } })).status).toBe(200)
    expect((await publish(key)).status).toBe(409)
  })

  test('is not for drafts, our own events, absent keys or other workspaces', async () => {
    const key = freshKey()
    await create({ key })
    const deprecate = (params: { key: string }, who = ours) =>
      who.call(deprecateContract, { params, body: {} })
    expect((await deprecate({ key })).status).toBe(409)
    expect((await deprecate({ key: 'purchase' })).status).toBe(409)
    expect((await deprecate({ key: 'no_such_contract' })).status).toBe(404)
    expect((await deprecate({ key }, theirs)).status).toBe(404)
    expect((await ours.call(archiveContract, { params: { key: 'error' } })).status).toBe(409)
    expect((await theirs.call(archiveContract, { params: { key } })).status).toBe(404)
    expect((await ours.call(getContract, { params: { key }, query: {} })).body.status).toBe('draft')
  })
})

describe('the gate', () => {
  test('uses a contract from the moment it is published, at the endpoints too', async () => {
    const key = freshKey()
    const send = () => ours.call(track, { body: { event: key, user_id: 'u1', properties: { seats: '4' } } })
    expect((await send()).body).toMatchObject({ outcome: 'quarantine', issues: [{ code: 'unknown_event' }] })
    await create({ key, properties: { seats: { type: 'number', required: true } }, status: 'published' })
    expect((await send()).body).toMatchObject({ outcome: 'warn', issues: [{ code: 'type_coerced' }] })
    await create({ key, properties: { seats: { type: 'string', required: true } }, status: 'published' })
    expect((await send()).body).toMatchObject({ outcome: 'accept', issues: [] })
  })

  test('validates an event that names an older version by that version, for as long as it is live', async () => {
    const key = freshKey()
    await create({ key, properties: { seats: { type: 'number', required: true } }, status: 'published' })
    await create({ key, properties: { seats: { type: 'boolean', required: true } }, status: 'published' })
    const send = (contract_version?: string) =>
      ours.call(track, { body: { event: key, user_id: 'u1', properties: { seats: 4 }, contract_version } })
    expect((await send('1-0-0')).body.outcome).toBe('accept')
    expect((await send()).status).toBe(422)
    expect((await send('7-7-7')).status).toBe(422)
  })

  test('of another workspace knows nothing of it', async () => {
    const key = freshKey()
    await create({ key, status: 'published' })
    const answer = await theirs.call(track, { body: { event: key, user_id: 'u1', properties: {} } })
    expect(answer.body.outcome).toBe('quarantine')
  })
})

describe('validate', () => {
  const purchase = { event: '$purchase', user_id: 'u1', properties: { amount: '12.5', currency: 'EUR' } }

  test.each([
    ['an event in its envelope', { event: purchase }],
    ['the event itself', purchase],
    ['an event under its other name', { ...purchase, event: undefined, event_key: '$purchase' }],
    ['a batch of one', { batch: [purchase] }],
  ])('takes %s, with a read-only key too', async (_what, body) => {
    for (const key of [ours.keys.test, ours.keys.secret]) {
      const answer = await ours.call(validateEvents, { body }, { key })
      expect(answer.status).toBe(200)
      expect(answer.body).toMatchObject({
        outcome: 'warn',
        results: [
          {
            index: 0,
            outcome: 'warn',
            name: '$purchase',
            contract_version: '1-0-0',
            issues: [{ code: 'type_coerced', field: 'amount' }],
            properties: { amount: 12.5, currency: 'EUR' },
          },
        ],
      })
    }
  })

  test('answers each event of a batch in order, and the worst of all', async () => {
    const batch = [
      purchase,
      'not an event',
      { event: 'never_seen', user_id: 'u1' },
      { type: 'alias', userId: 'a' },
    ]
    const { body } = await ours.call(validateEvents, { body: { batch } })
    expect(body.outcome).toBe('reject')
    expect(body.results.map(({ outcome }) => outcome)).toEqual(['warn', 'reject', 'quarantine', 'reject'])
    expect((await ours.call(validateEvents, { body: { batch: [] } })).body).toEqual({
      outcome: 'accept',
      results: [],
    })
  })

  test('validates like a secret key: an event without an identifier is refused', async () => {
    const { body } = await ours.call(validateEvents, {
      body: { event: { event: '$login', properties: { method: 'sso' } } },
    })
    expect(body.results[0]?.issues).toMatchObject([{ code: 'missing_identifier' }])
  })

  test('stores nothing', async () => {
    const event = { ...purchase, event_id: 'only-validated' }
    await ours.call(validateEvents, { body: { event } })
    const sent = await ours.call(track, { body: event })
    expect(sent.body).toMatchObject({ event_id: 'only-validated', duplicate: false })
  })

  test('asks for one event or a batch, and not for a site of another workspace', async () => {
    expect((await ours.call(validateEvents, { body: {} })).status).toBe(422)
    expect((await ours.call(validateEvents, { body: { event: purchase, batch: [] } })).status).toBe(422)
    for (const site_id of [theirs.siteId, 'site_none', 'a\u0000b']) {
      expect((await ours.call(validateEvents, { body: { event: purchase, site_id } })).status).toBe(404)
      expect((await ours.call(validateEvents, { body: { ...purchase, site_id } })).status).toBe(404)
    }
    const batch = Array.from({ length: 1_001 }, () => purchase)
    expect((await ours.call(validateEvents, { body: { batch } })).status).toBe(422)
  })
})

describe('severities', () => {
  test('of a contract outrank those of the workspace', async () => {
    const key = freshKey()
    const properties = { plan: { type: 'string', enum: ['a'] } } as const
    await create({ key, properties, severities: { value_not_allowed: 'reject' }, status: 'published' })
    const event = { event: key, user_id: 'u1', properties: { plan: 'b' } }
    expect((await ours.call(validateEvents, { body: { event } })).body.outcome).toBe('reject')
  })
})

describe('generated code', () => {
  const generated = (query: { language: 'typescript' | 'python' | 'swift' }, headers = {}) =>
    ours.call(generateCode, { query }, { headers })

  test.each(['typescript', 'python', 'swift'] as const)(
    'in %s contains what is live, and nothing else',
    async (language) => {
      const [live, draft] = [freshKey(), freshKey()]
      await create({ key: live, status: 'published' })
      await create({ key: draft })
      const { body } = await generated({ language })
      const text = body.files.map(({ content }) => content).join('\n')
      expect(text).toContain(`"${live}"`.slice(1, -1))
      expect(text).toContain('$purchase')
      expect(text).not.toMatch(new RegExp(`\\b${draft}\\b`))
      expect(text).not.toContain('rage_click')
    },
  )

  test('is the same until the registry changes, and then not sent again', async () => {
    const first = await generated({ language: 'typescript' })
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toContain(first.body.registry_hash)
    expect((await generated({ language: 'typescript' })).body).toEqual(first.body)
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await generated({ language: 'typescript' }, { 'if-none-match': tag })
      expect(again.status).toBe(304)
      expect(again.body).toBeUndefined()
      expect(again.headers.get('etag')).toBe(etag)
    }
    await create({ key: freshKey(), status: 'published' })
    const changed = await generated({ language: 'typescript' }, { 'if-none-match': etag })
    expect(changed.status).toBe(200)
    expect(changed.body.registry_hash).not.toBe(first.body.registry_hash)
  })

  test('differs by environment where contracts do: drafts before production, and only there', async () => {
    const shop = await world.newWorkspace()
    const inForce = { key: 'seat_added', properties: {}, status: 'published' } as const
    await shop.call(createContract, { body: inForce })
    await shop.call(createContract, {
      body: { key: 'seat_added', properties: { seats: { type: 'number' } } },
    })
    await shop.call(createContract, {
      body: { key: 'plan_chosen', properties: {}, surfaces: ['server'] },
    })
    const code = async (query: object) => {
      const answer = await shop.call(generateCode, { query: { language: 'typescript', ...query } })
      const text = answer.body.files.map(({ content }) => content).join('\n')
      return { text, etag: answer.headers.get('etag'), hash: answer.body.registry_hash }
    }
    const production = await code({ environment: 'production' })
    const staging = await code({ environment: 'staging' })
    expect(production.text).toContain('Event `seat_added`, contract 1-0-0.')
    expect(production.text).not.toContain('plan_chosen')
    expect(staging.text).toContain('Event `seat_added`, contract 1-1-0.')
    expect(staging.text).toContain('plan_chosen')
    expect(staging.text).toContain('staging')
    expect((await code({ environment: 'development' })).hash).toBe(staging.hash)
    expect([staging.hash, staging.etag]).not.toContain(production.hash)
    expect(staging.etag).not.toBe(production.etag)
    expect((await code({ environment: 'staging', surface: 'web' })).text).not.toContain('plan_chosen')
  })

  test('asks for a language that there is', async () => {
    // boundary: the point is a value that the type does not allow.
    expect((await generated({ language: 'cobol' as 'swift' })).status).toBe(422)
  })
})

describe('packs', () => {
  test('are listed with their events', async () => {
    const { body } = await ours.call(listPacks, {})
    expect(body.data.map(({ key }) => key)).toEqual([
      'ecommerce',
      'saas',
      'media',
      'marketplace',
      'fintech',
      'mobile_app',
    ])
    expect(body.data.every(({ events }) => events.length >= 8)).toBe(true)
  })

  test('install all their contracts, skip what exists, and do so once', async () => {
    const shop = await world.newWorkspace({ preset: 'strict' })
    const { body: listed } = await shop.call(listPacks, {})
    const keys = listed.data.find(({ key }) => key === 'saas')?.events.map(({ key }) => key) ?? []
    const [taken = ''] = keys
    await shop.call(createContract, { body: { key: taken, description: 'Ours' } })
    const installing = (body: object) => shop.call(installPack, { params: { key: 'saas' }, body })
    const expected: Output<typeof installPack> = {
      pack: 'saas',
      dry_run: true,
      installed: keys.slice(1),
      skipped: [{ key: taken, reason: expect.stringContaining('exists') }],
    }
    expect((await installing({ dry_run: true })).body).toEqual(expected)
    expect((await installing({})).body).toEqual({ ...expected, dry_run: false })
    const again = await installing({ status: 'draft' })
    expect(again.body.installed).toEqual([])
    expect(again.body.skipped).toHaveLength(keys.length)
    const { body } = await shop.call(listContracts, { query: { source: 'custom', limit: 200 } })
    expect(body.data.map(({ key, status }) => `${key} ${status}`)).toEqual(
      keys.map((key) => `${key} ${key === taken ? 'draft' : 'published'}`).toSorted(),
    )
  })

  test('can be installed as drafts, which have no effect', async () => {
    const shop = await world.newWorkspace({ preset: 'strict' })
    await shop.call(installPack, { params: { key: 'media' }, body: { status: 'draft' } })
    const { body } = await shop.call(listContracts, { query: { source: 'custom', limit: 200 } })
    expect(new Set(body.data.map(({ status }) => status))).toEqual(new Set(['draft']))
  })

  test('that do not exist are not found', async () => {
    expect((await ours.call(installPack, { params: { key: 'none' }, body: {} })).status).toBe(404)
  })
})
