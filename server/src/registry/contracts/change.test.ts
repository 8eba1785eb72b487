import { changeContracts, createContract, getContract, validateEvents } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'

let world: World
let ours: TestWorkspace

beforeAll(async () => {
  world = await startWorld()
  ours = await world.newWorkspace()
})
afterAll(() => world?.close())

const seats = { seats: { type: 'number', required: true } } as const
const published = { status: 'published', properties: seats } as const

test('several contracts change together, numbered by what changed in each, and are live at once', async () => {
  await ours.call(createContract, { body: { key: 'kept_up', ...published, owner: 'growth' } })
  const { status, body } = await ours.call(changeContracts, {
    body: {
      contracts: [
        { key: 'fresh', ...published, expected_version: null, replaced_by: 'kept_up' },
        { key: 'kept_up', ...published, properties: {}, expected_version: '1-0-0' },
      ],
    },
  })
  expect(status).toBe(200)
  expect(body.changed).toEqual(['fresh', 'kept_up'])
  expect(body.results).toMatchObject([
    { key: 'fresh', change: 'new', version_before: null, version: '1-0-0', status: 'published', breaks: [] },
    { key: 'kept_up', change: 'shape', version_before: '1-0-0', version: '1-1-0' },
  ])
  const judged = await ours.call(validateEvents, {
    body: { batch: [{ event: 'fresh', user_id: 'u', properties: { seats: 1 } }] },
  })
  expect(judged.body.results[0]).toMatchObject({ outcome: 'accept', contract_version: '1-0-0' })
  // Whole: an owner that is not named any more is gone.
  const { body: now } = await ours.call(getContract, { params: { key: 'kept_up' }, query: {} })
  expect(now.owner).toBeUndefined()
})

test('a change from an older version is refused, every such key is named, and nothing of the rest is made', async () => {
  await ours.call(createContract, { body: { key: 'raced', ...published } })
  await ours.call(createContract, { body: { key: 'raced', ...published, properties: {} } })
  const { status, problem } = await ours.call(changeContracts, {
    body: {
      contracts: [
        { key: 'innocent', ...published, expected_version: null },
        { key: 'raced', ...published, expected_version: '1-0-0' },
        { key: 'never_was', ...published, expected_version: '3-0-0' },
      ],
    },
  })
  expect(status).toBe(409)
  expect(problem.conflicts).toEqual([
    { key: 'raced', expected_version: '1-0-0', version: '1-1-0' },
    { key: 'never_was', expected_version: '3-0-0', version: null },
  ])
  const innocent = await ours.call(getContract, { params: { key: 'innocent' }, query: {} })
  expect(innocent.status).toBe(404)
})

test('two changes from one version at once: one is made, the other is refused', async () => {
  await ours.call(createContract, { body: { key: 'contested', ...published } })
  const change = (description: string) =>
    ours.call(changeContracts, {
      body: { contracts: [{ key: 'contested', ...published, description, expected_version: '1-0-0' }] },
    })
  const answers = await Promise.all([change('one'), change('two')])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
})

test('a dry run answers what would break, and changes nothing', async () => {
  await ours.call(createContract, { body: { key: 'tried', ...published } })
  const stricter = { seats: { type: 'number', required: true, minimum: 1 } } as const
  const { body } = await ours.call(changeContracts, {
    body: {
      dry_run: true,
      contracts: [{ key: 'tried', status: 'published', properties: stricter, expected_version: '1-0-0' }],
      end: [],
    },
  })
  expect(body.results).toMatchObject([
    {
      change: 'breaking',
      version: '2-0-0',
      breaks: [{ path: 'properties.seats', what: 'minimum raised to 1' }],
    },
  ])
  const { body: now } = await ours.call(getContract, { params: { key: 'tried' }, query: {} })
  expect(now.versions.map(({ version }) => version)).toEqual(['1-0-0'])
})

test('contracts end in the same change, and an archived one can be created again', async () => {
  await ours.call(createContract, { body: { key: 'old_way', ...published } })
  await ours.call(createContract, { body: { key: 'dead_end', ...published } })
  const { body } = await ours.call(changeContracts, {
    body: {
      contracts: [{ key: 'new_way', ...published, expected_version: null }],
      end: [
        { key: 'old_way', expected_version: '1-0-0', status: 'deprecated', replaced_by: 'new_way' },
        { key: 'dead_end', expected_version: '1-0-0', status: 'archived' },
      ],
    },
  })
  expect(body.results.map(({ key, status }) => [key, status])).toEqual([
    ['new_way', 'published'],
    ['old_way', 'deprecated'],
    ['dead_end', 'archived'],
  ])
  const revived = await ours.call(changeContracts, {
    body: { contracts: [{ key: 'dead_end', ...published, expected_version: null }] },
  })
  expect(revived.body.results).toMatchObject([{ version: '1-0-1', status: 'published' }])
})

test('the same key twice, a reserved name and a standard event are refused with their own reasons', async () => {
  const one = (key: string) => ({ key, ...published, expected_version: null })
  const twice = await ours.call(changeContracts, { body: { contracts: [one('double'), one('double')] } })
  expect([twice.status, twice.problem.detail]).toEqual([422, expect.stringContaining('listed twice')])
  const reserved = await ours.call(changeContracts, { body: { contracts: [one('$double')] } })
  expect(reserved.problem.type).toContain('/reserved-name')
  const standard = await ours.call(changeContracts, { body: { contracts: [one('purchase')] } })
  expect(standard.status).toBe(409)
})
