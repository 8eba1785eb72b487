import { type RawEvent, readTrack } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { originalIdOf } from '../identity/graph/identifier.ts'
import { personKeyOf } from '../identity/profiles/person-keys.ts'
import { newId, systemClock } from '../platform/clock.ts'
import { type Control, openControl } from '../store/control.ts'
import { type Database, makeDatabase, untilTrue } from '../testing/harness.ts'
import { openWorkspace } from '../workspaces/workspaces.ts'
import { type ConsentJudge, createConsentJudge } from './consents.ts'
import { insertConsent, insertSubjects, notifySubjects } from './store.ts'
import { SubjectFilter } from './subject-filter.ts'
import { createSubjects } from './subjects.ts'

const secret = 'a secret of the installation'
const originalIdFor = (workspaceId: string, type: string, value: string) =>
  originalIdOf(personKeyOf(secret, workspaceId), { type, value })
const site = { consent_regime: 'gdpr', on_denied: 'reject' } as const

let database: Database
const nodes: { control: Control; judge: ConsentJudge; queries: () => number }[] = []

beforeAll(async () => {
  database = await makeDatabase()
  for (let node = 0; node < 2; node += 1) {
    const control = await openControl({ dataDir: '', url: database.url })
    let asked = 0
    const counting: Control = {
      ...control,
      query: (...call) => {
        asked += 1
        return control.query(...call)
      },
    }
    const subjects = await createSubjects(counting, systemClock)
    const originalId = (workspaceId: string, { type, value }: { type: string; value: string }) =>
      originalIdFor(workspaceId, type, value)
    nodes.push({
      control,
      judge: createConsentJudge(subjects, originalId, systemClock),
      queries: () => asked,
    })
  }
})
afterAll(async () => {
  for (const { control } of nodes) await control.close()
  await database?.drop()
})

function nodeOf(index: number) {
  const node = nodes[index]
  if (node === undefined) throw new Error('the nodes were not started')
  return node
}

async function newWorkspace(): Promise<string> {
  const workspaceId = newId('ws')
  await openWorkspace(nodeOf(0).control, workspaceId, 'Test')
  return workspaceId
}

function eventOf(identity: object): RawEvent {
  const reading = readTrack({ event: '$pageview', ...identity, properties: {} })
  if (reading.kind !== 'event') throw new Error('it is an event')
  return reading.event
}

async function state(node: number, workspaceId: string, identity: object): Promise<string> {
  const found = await nodeOf(node).judge.find(workspaceId, eventOf(identity), site, false)
  return found.suppressed ? 'suppressed' : (found.consent?.allowed('analytics_storage') ?? 'granted')
}

async function say(workspaceId: string, subjectId: string, choice: 'granted' | 'denied'): Promise<void> {
  await nodeOf(0).control.transaction(async (sql) => {
    const now = new Date()
    const said = {
      stated: { analytics_storage: choice },
      regime: 'gdpr',
      gpc: false,
      source: 'test',
    } as const
    const times = { effective_at: now, recorded_at: now, expires_at: null }
    const rest = { anonymous_id: null, policy_version: null, proof: null, supersedes: null }
    const row = { id: newId('con'), subject_id: subjectId, ...said, ...times, ...rest }
    await insertConsent(sql, workspaceId, row, 'key')
    await insertSubjects(sql, workspaceId, [subjectId])
    await notifySubjects(sql, workspaceId, [subjectId])
  })
}

async function addIdentifier(workspaceId: string, originalId: string): Promise<void> {
  await nodeOf(0).control.query(
    `INSERT INTO identifiers (workspace_id, original_id, type, value, first_seen_at, source, person_id)
     VALUES ($1, $2, 'user_id', 'x', now(), 'test', $2)`,
    [workspaceId, originalId],
  )
}

test('what is said at one node holds at the other a moment later, without being asked for', async () => {
  const workspaceId = await newWorkspace()
  const subject = originalIdFor(workspaceId, 'user_id', 'u1')
  expect(await state(1, workspaceId, { user_id: 'u1' })).toBe('denied')
  await say(workspaceId, subject, 'granted')
  await untilTrue('the grant', async () => (await state(1, workspaceId, { user_id: 'u1' })) === 'granted')
  await say(workspaceId, subject, 'denied')
  await untilTrue('the withdrawal', async () => (await state(1, workspaceId, { user_id: 'u1' })) === 'denied')
})

test('when people become one, or two again, each node asks the right ones', async () => {
  const workspaceId = await newWorkspace()
  const [user, device] = [
    originalIdFor(workspaceId, 'user_id', 'u2'),
    originalIdFor(workspaceId, 'anonymous_id', 'a2'),
  ]
  await say(workspaceId, user, 'granted')
  await addIdentifier(workspaceId, user)
  await addIdentifier(workspaceId, device)
  expect(await state(1, workspaceId, { anonymous_id: 'a2' })).toBe('denied')
  const move = (personId: string) =>
    nodeOf(0).control.query(
      'UPDATE identifiers SET person_id = $3 WHERE workspace_id = $1 AND original_id = $2',
      [workspaceId, device, personId],
    )
  await move(user)
  await untilTrue('one', async () => (await state(1, workspaceId, { anonymous_id: 'a2' })) === 'granted')
  await move(device)
  await untilTrue('two', async () => (await state(1, workspaceId, { anonymous_id: 'a2' })) === 'denied')
  expect(await state(1, workspaceId, { user_id: 'u2' })).toBe('granted')
})

test('who asked to be forgotten is known on every node', async () => {
  const workspaceId = await newWorkspace()
  const forgotten = originalIdFor(workspaceId, 'anonymous_id', 'gone')
  expect(await state(1, workspaceId, { anonymous_id: 'gone' })).toBe('denied')
  await nodeOf(0).control.transaction(async (sql) => {
    await sql.query(
      'INSERT INTO identity_suppressions (workspace_id, original_id, created_at) VALUES ($1, $2, now())',
      [workspaceId, forgotten],
    )
    await notifySubjects(sql, workspaceId, [forgotten])
  })
  const is = async () =>
    (await state(1, workspaceId, { anonymous_id: 'gone', user_id: 'new' })) === 'suppressed'
  await untilTrue('the suppression', is)
})

test('events of people who said nothing ask the store nothing, and those of the others once', async () => {
  const workspaceId = await newWorkspace()
  expect(await state(0, workspaceId, { user_id: 'last' })).toBe('denied')
  for (let index = 0; index < 50; index += 1) {
    await say(workspaceId, originalIdFor(workspaceId, 'user_id', `known${index}`), 'granted')
  }
  // Notices arrive in order, so after the last one all have arrived.
  await say(workspaceId, originalIdFor(workspaceId, 'user_id', 'last'), 'granted')
  await untilTrue('the last', async () => (await state(0, workspaceId, { user_id: 'last' })) === 'granted')
  const { judge, queries } = nodeOf(0)
  const consents = await judge.of(workspaceId)
  const before = queries()
  const judgeAll = async (name: string, count: number) => {
    for (let index = 0; index < count; index += 1) {
      const ready = judge.of(workspaceId)
      expect(ready).toBe(consents)
      consents.forEvent(eventOf({ user_id: `${name}${index}` }), site, false, Date.now())
    }
    await consents.fetchAsked()
  }
  await judgeAll('stranger', 1_000)
  // One in two thousand is a false positive, and all of those are fetched together.
  expect(queries() - before).toBeLessThanOrEqual(1)
  const asked = queries()
  await judgeAll('known', 50)
  await judgeAll('known', 50)
  expect(queries() - asked).toBe(1)
})

test('the filter forgets no one, has few false positives, and says when it must be rebuilt', () => {
  const filter = new SubjectFilter(10_000)
  const idOf = (index: number) => originalIdFor('ws', 'user_id', String(index))
  for (let index = 0; index < 20_000; index += 1) filter.add(idOf(index))
  for (let index = 0; index < 20_000; index += 1) expect(filter.mayHave(idOf(index))).toBe(true)
  let wrong = 0
  for (let index = 20_000; index < 40_000; index += 1) if (filter.mayHave(idOf(index))) wrong += 1
  expect(wrong).toBeLessThan(60)
  expect(filter.isFull).toBe(false)
  filter.add('per_x')
  expect(filter.isFull).toBe(true)
})
