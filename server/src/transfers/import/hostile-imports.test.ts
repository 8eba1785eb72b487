import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import {
  batch,
  getOverview,
  getReceipt,
  getReplay,
  listContracts,
  listReplays,
  listSites,
  mintApiKey,
  Problem,
  replayLimits,
  revokeApiKey,
  track,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refreshDue } from '../../audiences/audiences.ts'
import { checkDueSites } from '../../drift/drift.ts'
import { removeOldEvents } from '../../privacy/retention/event-retention.ts'
import { deleteOldQuarantined } from '../../quarantine/quarantine.ts'
import { sendMilestones } from '../../site-score/milestones.ts'
import { anyCharacter } from '../../testing/any-character.ts'
import { startWorld, type TestWorkspace, undated, type World } from '../../testing/harness.ts'
import {
  changeCell,
  changeText,
  exportWorkspace,
  fillWorkspace,
  importWorkspace,
  type Moved,
} from '../../testing/moved-workspace.ts'
import { recordLog } from '../../testing/recorded-log.ts'
import { controlShapes } from '../shapes/control-shapes.ts'
import { eventShapes } from '../shapes/events/event-shapes.ts'
import type { TableShape } from '../shapes/table-shape.ts'
import { controlTables, eventsTables } from '../tables.ts'
import { nothingBrought } from './named-sets.ts'
import { createRowReader } from './row-check.ts'

let from: World
let to: World
let moved: Moved
let victim: TestWorkspace
const told: string[] = []
const { logger, entries } = recordLog()

beforeAll(async () => {
  from = await startWorld()
  to = await startWorld()
  const source = await from.newWorkspace({ timezone: 'Europe/Berlin', preset: 'strict' })
  await fillWorkspace(source, Date.now())
  moved = await exportWorkspace(from, source)
  victim = await to.newWorkspace()
  const sale = {
    event: '$purchase',
    user_id: 'u',
    properties: { amount: 5, currency: 'EUR', order_id: 'v-1' },
  }
  await victim.call(batch, { body: { batch: [sale] } }, { key: victim.keys.secret })
  await victim.settle()
}, 300_000)
afterAll(async () => {
  await from?.close()
  await to?.close()
})

const firstOf = (table: string): Record<string, unknown> => JSON.parse(moved.parts.get(table)?.[0] ?? '{}')

/** What other workspaces see, byte for byte. */
async function victimReads(): Promise<string> {
  const { siteId } = victim
  const answers = [
    await victim.call(getOverview, { query: { siteId, window: '30d' } }),
    await victim.call(listSites, { query: {} }),
    await victim.call(listContracts, { query: {} }),
    await victim.call(listReplays, { query: {} }),
  ]
  const events = await to.product.deps.events.query(
    'SELECT * FROM events WHERE workspace_id = {id:String} ORDER BY event_id',
    { id: victim.workspaceId },
  )
  // When it was answered changes with every answer.
  const text = JSON.stringify([answers.map(({ body }) => undated(body)), events], (name, value) =>
    name === 'period' || name === 'generatedAt' ? undefined : value,
  )
  return createHash('sha256').update(text).digest('hex')
}

/** Which tables have rows of an import: one statement for each store, since each is asked after each refusal. */
async function rowsLeft(workspaceId: string): Promise<string[]> {
  const { control, events } = to.product.deps
  // The workspace has rows of its own there; none may be of the import.
  const brought = controlTables
    .filter(({ staysFilled }) => staysFilled === true)
    .flatMap(({ name }) => (moved.parts.get(name) ?? []).map((line) => JSON.parse(line).id))
  const inControl = ownControlTables.map(({ name, staysFilled }) => {
    const isForeign = staysFilled === true ? ' AND id = ANY ($2)' : ''
    return `SELECT '${name}' AS name WHERE EXISTS (SELECT 1 FROM ${name} WHERE workspace_id = $1${isForeign})`
  })
  const inEvents = ownEventsTables.map(
    ({ name }) => `SELECT '${name}' AS name FROM ${name} WHERE workspace_id = {id:String} LIMIT 1`,
  )
  const left = await control.query<{ name: string }>(inControl.join(' UNION ALL '), [workspaceId, brought])
  left.push(...(await events.query<{ name: string }>(inEvents.join(' UNION ALL '), { id: workspaceId })))
  return left.map(({ name }) => name)
}

const ownControlTables = controlTables.filter(
  ({ name, through }) => through === undefined && name !== 'sites',
)
const ownEventsTables = eventsTables.filter(({ byGeneration }) => byGeneration !== true)

async function refusal(hostile: Moved): Promise<string> {
  const empty = await to.newWorkspace()
  const { status, error } = await importWorkspace(to, empty, hostile)
  expect(status).toBe('failed')
  expect(await rowsLeft(empty.workspaceId)).toEqual([])
  expect((error ?? '').length).toBeLessThan(700)
  return error ?? ''
}

/** Everything that is done for all workspaces, one after another. */
async function runJobs(): Promise<void> {
  const { deps } = to.product
  const fail = (error: unknown) => void told.push(String(error))
  await refreshDue(deps, fail)
  await checkDueSites(deps, fail)
  await removeOldEvents(deps, logger, fail)
  await deps.attribution.jobs.tend()
  await deps.health.watch.look(fail)
  await deps.health.watchQuarantine(fail)
  await sendMilestones(deps, fail)
  await deps.outgoing.boundQueues(fail)
  await deps.webhooks.receiving.tend(fail)
  await deps.people.mapping.followAll(fail)
  await deps.privacy.work()
  await deps.privacy.sweepForgotten(fail)
  await deps.replays.forgetOld(Date.now())
  await deleteOldQuarantined(deps.events, Date.now())
  expect([...told, ...entries]).toEqual([])
}

describe('every column that travels is declared', () => {
  test('of the control store', async () => {
    for (const { name, without = [] } of controlTables) {
      const rows = await to.product.deps.control.query<{ column: string }>(
        `SELECT attname AS column FROM pg_attribute
         WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`,
        [name],
      )
      const travelling = rows.map(({ column }) => column).filter((column) => !without.includes(column))
      expect(Object.keys(controlShapes[name]?.columns ?? {}).toSorted(), name).toEqual(travelling.toSorted())
    }
  })

  test('of the events store', async () => {
    for (const { name } of eventsTables) {
      const rows = await to.product.deps.events.query<{ name: string }>(
        `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {name:String}
           AND default_kind != 'MATERIALIZED'`,
        { name },
      )
      const travelling = rows.map((row) => row.name)
      expect(Object.keys(eventShapes[name]?.columns ?? {}).toSorted(), name).toEqual(travelling.toSorted())
    }
  })
})

describe('an import is refused, names the line and leaves nothing behind', () => {
  test('where the id of a site has a quote and a newline in it', async () => {
    const before = await victimReads()
    const own = String(firstOf('sites').id)
    const { workspaceId, siteId } = victim
    const hostile = `${own}","workspace_id":"${workspaceId}","site_id":"${siteId}"}\n{"a":"`
    const said = await refusal(changeText(moved, own, JSON.stringify(hostile).slice(1, -1)))
    expect(said).toMatch(/^sites\.ndjson, line 1, id: must be an id such as site_…/)
    expect(await victimReads()).toBe(before)
  })

  test('where a request of a person would write its archive elsewhere', async () => {
    const said = await refusal(changeCell(moved, 'subject_requests', 0, 'id', '../../../outside'))
    expect(said).toMatch(/^subject_requests\.ndjson, line 1, id: must be an id such as dsr_…/)
    expect(existsSync(join(to.product.deps.config.dataDir, '../../outside.zip'))).toBe(false)
  })

  test('where a recording unpacks to more than a recorder may hand in', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, ' '))
    expect(bomb.length).toBeLessThan(100_000)
    const said = await refusal(changeCell(moved, 'replay_chunks', 0, 'events', `\\x${bomb.toString('hex')}`))
    expect(said).toMatch(/^replay_chunks\.ndjson, line 1, events: must be a packed list of recorded events/)
    const many = gzipSync(JSON.stringify(Array.from({ length: replayLimits.chunkEventsMax + 1 }, () => 0)))
    const packed = `\\x${many.toString('hex')}`
    expect(await refusal(changeCell(moved, 'replay_chunks', 0, 'events', packed))).toContain(
      'within the limits',
    )
  })

  test('where an audience has a rule that the API refuses', async () => {
    const rules = JSON.stringify({ all: [{ field: 'no.such.field', op: 'gt', value: 1 }] })
    const said = await refusal(changeCell(moved, 'audiences', 0, 'rules', rules))
    expect(said).toMatch(/^audiences\.ndjson, line 1, rules: is refused: .*is not a field/)
    const shapeless = await refusal(changeCell(moved, 'audiences', 0, 'rules', '{"all":7}'))
    expect(shapeless).toMatch(/^audiences\.ndjson, line 1, rules: /)
  })

  test('where a key can do more than send, or is of a site of another workspace', async () => {
    for (const kind of ['secret', 'live', 'test'])
      expect(await refusal(changeCell(moved, 'api_keys', 0, 'kind', kind))).toContain('line 1, kind')
    const ofVictim = changeCell(moved, 'api_keys', 0, 'site_id', victim.siteId)
    expect(await refusal(ofVictim)).toContain('line 1, site_id')
    expect(await refusal(changeCell(moved, 'api_keys', 0, 'hash', '\\x00'))).toContain('line 1, hash')
  })

  test('where a key is the public key of another workspace, which still sends there', async () => {
    const hash = `\\x${createHash('sha256').update(victim.keys.public).digest('hex')}`
    const taking = changeCell(moved, 'api_keys', 0, 'hash', hash)
    expect(await refusal(taking)).toContain('A public key of this export is in use on this server already')
    const { body: minted } = await victim.call(mintApiKey, {
      body: { kind: 'public', name: 'Old', site_id: victim.siteId },
    })
    await victim.call(revokeApiKey, { params: { id: minted.id } })
    const revoked = `\\x${createHash('sha256').update(minted.key).digest('hex')}`
    expect(await refusal(changeCell(moved, 'api_keys', 0, 'hash', revoked))).toContain(
      'in use on this server',
    )
    const seen = { event: '$pageview', anonymous_id: 'a', properties: { url: '/', title: 'T' } }
    const sent = await victim.call(track, { body: seen }, { key: victim.keys.public })
    expect(sent.status).toBe(202)
    await victim.settle()
    const receipt = await victim.call(getReceipt, { params: { event_id: sent.body.event_id } })
    expect(receipt.body).toMatchObject({ site_id: victim.siteId })
  })

  test('where a site has a time zone that there is not', async () => {
    const said = await refusal(changeCell(moved, 'sites', 0, 'timezone', 'Mars/Olympus'))
    expect(said).toMatch(/^sites\.ndjson, line 1, timezone: .*IANA name/)
  })

  test('where an event names a site of another workspace, or a hash of another person', async () => {
    const foreign = await refusal(changeCell(moved, 'events', 0, 'site_id', victim.siteId))
    expect(foreign).toMatch(
      /^events\.ndjson, line 1, site_id: must be the id of one of the sites of this export/,
    )
    const hash = await refusal(changeCell(moved, 'events', 0, 'person_key', '1'))
    expect(hash).toBe('events.ndjson: person_key must be the hash of what it stands for in every row.')
  })

  test('where an entry of the ledger was changed, or an identifier stands for another person', async () => {
    const changed = await refusal(changeCell(moved, 'identity_ledger', 0, 'reason', 'Another reason'))
    expect(changed).toMatch(/^identity_ledger\.ndjson, line 1, hash: does not follow/)
    const cut = { ...moved, parts: new Map(moved.parts).set('identity_ledger', []) }
    expect(await refusal(cut)).toMatch(
      /^identity_ledger_heads\.ndjson, line 1, hash: is not that of the last entry/,
    )
    const other = await refusal(changeCell(moved, 'identifiers', 0, 'value', 'someone else'))
    expect(other).toMatch(/^identifiers\.ndjson, line 1, original_id: must be the id that follows/)
  })

  test('where a line is longer than any row, no JSON, or too deep', async () => {
    const long = { ...moved, parts: new Map(moved.parts).set('sites', ['x'.repeat(9 * 1024 * 1024)]) }
    expect(await refusal(long)).toMatch(/^sites\.ndjson, line 1: a line has \d+ bytes at most/)
    const broken = { ...moved, parts: new Map(moved.parts).set('sites', ['{"id":']) }
    expect(await refusal(broken)).toBe('sites.ndjson, line 1, row: must be JSON.')
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    expect(await refusal(changeCell(moved, 'person_traits', 0, 'value', deep))).toContain('levels deep')
  })
})

const evil = [
  '"',
  '\n',
  '../../etc/passwd',
  '\0',
  '\ud800',
  "'; DROP TABLE sites; --",
  '{}',
  '[]',
  'null',
  '\\x00',
]
const hostileValue = () =>
  fc.oneof(
    fc.constantFrom(
      ...evil,
      'x'.repeat(70_000),
      '[['.repeat(5_000),
      '9'.repeat(400),
      '-1',
      '1e400',
      'infinity',
    ),
    fc.constantFrom(
      '9999-12-31 23:59:59+00',
      '-4712-01-01 00:00:00+00 BC',
      '2026-02-31 00:00:00.000',
      '0001-01-01',
    ),
    fc.constantFrom<unknown>(null, true, -1, 1e308, 2 ** 64, [], {}, [null], { a: { b: {} } }),
    fc.constantFrom('victim workspace', 'victim site'),
    fc.string({ unit: anyCharacter, maxLength: 40 }),
  )

test('whatever a cell says, it is taken or refused by name, and no check fails over it', async () => {
  const cells = [...moved.parts].flatMap(([table, lines]) =>
    lines
      .slice(0, 3)
      .flatMap((line) => Object.keys(JSON.parse(line)).map((column) => ({ table, line, column }))),
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...cells), hostileValue(), async ({ table, line, column }, value) => {
      // boundary: rows of both kinds are read here as what they came from, which is any JSON.
      const shape = (controlShapes[table] ?? eventShapes[table]) as TableShape<Record<string, unknown>>
      const reader = createRowReader(table, shape, nothingBrought(moved.manifest.person_key), (row) => row)
      const read = reader.read(JSON.stringify({ ...JSON.parse(line), [column]: value }))
      await read.catch((error: unknown) => {
        expect(error).toBeInstanceOf(Problem)
        expect(String(error)).toContain(`${table}.ndjson, line 1, `)
      })
    }),
    { numRuns: 3_000 },
  )
}, 120_000)

test('whatever a cell of an export says, it is refused with a reason or affects no one else', async () => {
  const before = await victimReads()
  const cells = [...moved.parts].flatMap(([table, lines]) =>
    lines.flatMap((line, at) => Object.keys(JSON.parse(line)).map((column) => ({ table, at, column }))),
  )
  const outside = listOutside()
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...cells), hostileValue()), { minLength: 1, maxLength: 2 }),
      async (changes) => {
        const hostile = changes.reduce((sum, [{ table, at, column }, value]) => {
          const named = value === 'victim workspace' ? victim.workspaceId : value
          return changeCell(sum, table, at, column, named === 'victim site' ? victim.siteId : named)
        }, moved)
        const target = await to.newWorkspace()
        const { status, error } = await importWorkspace(to, target, hostile)
        if (status === 'failed') {
          expect(error).toMatch(/^[a-z_]+\.ndjson|^Ids in |^A row of /)
          expect(await rowsLeft(target.workspaceId)).toEqual([])
        } else {
          expect(status).toBe('done')
          await runJobs()
          const params = { id: 'a-replay-1' }
          expect((await target.call(getReplay, { params })).status).toBe(200)
          await to.product.deps.control.query('DELETE FROM workspaces WHERE id = $1', [target.workspaceId])
        }
        expect(await victimReads()).toBe(before)
        expect(listOutside()).toEqual(outside)
      },
    ),
    { numRuns: 4, endOnFailure: true },
  )
}, 600_000)

/** Files outside the directory of imports. */
function listOutside(): string[] {
  const root = to.product.deps.config.dataDir
  return readdirSync(root).filter(
    (name) => !['control', 'log', 'transfers', 'events', 'exports', 'sdk'].includes(name),
  )
}

test('an export that was not touched is taken as it is, and everything runs on it', async () => {
  const target = await to.newWorkspace()
  expect(await importWorkspace(to, target, moved)).toMatchObject({ status: 'done', error: null })
  // What the tests above look for in vain is found where it is.
  const filled = [...ownControlTables, ...ownEventsTables].map(({ name }) => name)
  expect((await rowsLeft(target.workspaceId)).toSorted()).toEqual(
    filled.filter((name) => (moved.parts.get(name) ?? []).length > 0).toSorted(),
  )
  await runJobs()
  expect((await target.call(listSites, { query: {} })).body.data).toHaveLength(1)
})
