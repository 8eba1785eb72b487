import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { judgeReading, readTrack, type Verdict } from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, systemClock } from '../platform/clock.ts'
import { type Control, openControl } from '../store/control.ts'
import { sharedStores } from '../testing/harness.ts'
import { openWorkspace } from '../workspaces/workspaces.ts'
import { archiveContract, deprecateContract, registerContract, toRow } from './contracts/registration.ts'
import { insertContracts } from './contracts/store.ts'
import { createRegistry, type GateKnowledge, type Registry } from './registry.ts'
import { changeSeverities } from './severities.ts'

let control: Control
let dataDir: string

beforeAll(async () => {
  const { controlTemplate } = await sharedStores()
  dataDir = mkdtempSync(join(tmpdir(), 'assay-registry-'))
  cpSync(controlTemplate, `${dataDir}/control`, { recursive: true })
  control = await openControl({ dataDir })
})
afterAll(async () => {
  await control?.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const siteId = 'site_1'

async function newWorkspace(): Promise<string> {
  const workspaceId = newId('ws')
  await openWorkspace(control, workspaceId, 'Test')
  await changeSeverities(control, workspaceId, { preset: 'strict' })
  return workspaceId
}

type Properties = Parameters<typeof registerContract>[3]['properties']

/** Registers, publishes and notifies, as the route does. */
async function publish(registry: Registry, workspaceId: string, key: string, properties: Properties = {}) {
  const body = { key, properties, status: 'published' } as const
  const { row } = await registerContract(control, systemClock, workspaceId, body, false)
  await registry.changed(workspaceId, { contracts: [key] })
  return `${row.major}-${row.minor}-${row.patch}`
}

const wire = (event: string, members: object = {}) =>
  readTrack({ event, user_id: 'u1', properties: { count: 1 }, ...members })

function judge(known: GateKnowledge, event: string, members: object = {}): Verdict {
  const reading = wire(event, members)
  if (reading.kind === 'alias') throw new Error('no alias was written')
  return judgeReading(reading, { ...known, keyClass: 'secret', receivedAt: 0 })
}

const counted = { count: { type: 'number', required: true } } as const

describe('what the gate knows', () => {
  test('is there at once after the first time, and until it changes', async () => {
    const registry = await createRegistry(control)
    const workspaceId = await newWorkspace()
    expect(registry.knowledge(workspaceId, siteId)).toBeInstanceOf(Promise)
    const known = await registry.knowledge(workspaceId, siteId)
    expect(registry.knowledge(workspaceId, siteId)).toBe(known)
    await publish(registry, workspaceId, 'seat_added')
    expect(registry.knowledge(workspaceId, siteId)).toBeInstanceOf(Promise)
    expect(judge(await registry.knowledge(workspaceId, siteId), 'seat_added').outcome).toBe('accept')
    expect(registry.knowledge(workspaceId, siteId)).not.toBeInstanceOf(Promise)
  })

  test('changes on every node', async () => {
    const [here, there] = [await createRegistry(control), await createRegistry(control)]
    const workspaceId = await newWorkspace()
    expect(judge(await there.knowledge(workspaceId, siteId), 'seat_added').outcome).toBe('quarantine')
    await publish(here, workspaceId, 'seat_added')
    expect(judge(await there.knowledge(workspaceId, siteId), 'seat_added').outcome).toBe('accept')
    await changeSeverities(control, workspaceId, { unknown_event: 'reject' })
    await here.changed(workspaceId, 'rules')
    expect(judge(await there.knowledge(workspaceId, siteId), 'never_seen').outcome).toBe('reject')
  })

  test('does not miss a change that comes while it is being read', async () => {
    const registry = await createRegistry(control)
    const workspaceId = await newWorkspace()
    const reading = registry.knowledge(workspaceId, siteId)
    const publishing = publish(registry, workspaceId, 'seat_added')
    await Promise.all([reading, publishing])
    expect(judge(await registry.knowledge(workspaceId, siteId), 'seat_added').outcome).toBe('accept')
  })

  test('is read again after a failure', async () => {
    let isAway = true
    const failing: Control = {
      ...control,
      query: (text, values) => (isAway ? Promise.reject(new Error('away')) : control.query(text, values)),
    }
    const registry = await createRegistry(failing)
    const workspaceId = await newWorkspace()
    await expect(registry.knowledge(workspaceId, siteId)).rejects.toThrow('away')
    isAway = false
    expect(judge(await registry.knowledge(workspaceId, siteId), '$login').contractVersion).toBe('1-0-0')
    await publish(registry, workspaceId, 'seat_added')
    isAway = true
    await expect(registry.knowledge(workspaceId, siteId)).rejects.toThrow('away')
    isAway = false
    expect(judge(await registry.knowledge(workspaceId, siteId), 'seat_added').outcome).toBe('accept')
  })

  test('after any changes, on any node, equals that of a node that starts now', async () => {
    const nodes = [await createRegistry(control), await createRegistry(control)]
    const keys = ['first_event', 'second_event']
    const change = fc.record({
      what: fc.constantFrom('publish', 'loosen', 'deprecate', 'archive', 'read'),
      key: fc.constantFrom(...keys),
      node: fc.constantFrom(0, 1),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const workspaceId = await newWorkspace()
        for (const { what, key, node } of changes)
          await apply(what, key, nodes[node] ?? nodes[0], workspaceId)
        const fresh = await createRegistry(control)
        const expected = await seenBy(fresh, workspaceId)
        for (const node of nodes) expect(await seenBy(node, workspaceId)).toEqual(expected)
      }),
      { numRuns: 15 },
    )

    async function apply(what: string, key: string, node: Registry | undefined, workspaceId: string) {
      if (node === undefined) return
      if (what === 'read') await node.knowledge(workspaceId, siteId)
      else if (what === 'publish') await publish(node, workspaceId, key, counted)
      else if (what === 'loosen') await publish(node, workspaceId, key, { count: { type: 'string' } })
      else {
        const end = what === 'archive' ? archiveContract : deprecateContract
        await end(control, workspaceId, key, undefined).catch(() => {})
        await node.changed(workspaceId, { contracts: [key] })
      }
    }

    async function seenBy(node: Registry, workspaceId: string) {
      const versions = [undefined, '1-0-0', '2-0-0', '2-0-1', '3-0-0']
      const asked = keys.flatMap((key) => versions.map((contract_version) => ({ key, contract_version })))
      const ask = async () => {
        const known = await node.knowledge(workspaceId, siteId)
        return asked.map(({ key, contract_version }) => judge(known, key, { contract_version }))
      }
      await ask()
      await node.fetchAskedVersions(workspaceId)
      return ask()
    }
  })

  test('of the least used workspaces is forgotten when there are too many contracts', async () => {
    const registry = await createRegistry(control, { contractsMax: 3, workspacesMax: 10 })
    const [first, second, third] = [await newWorkspace(), await newWorkspace(), await newWorkspace()]
    for (const workspaceId of [first, second, third]) {
      for (const key of ['first_event', 'second_event']) await publish(registry, workspaceId, key)
    }
    await registry.knowledge(first, siteId)
    expect(registry.knowledge(first, siteId)).not.toBeInstanceOf(Promise)
    await registry.knowledge(second, siteId)
    expect(registry.knowledge(second, siteId)).not.toBeInstanceOf(Promise)
    expect(registry.knowledge(first, siteId)).toBeInstanceOf(Promise)
    await registry.knowledge(first, siteId)
    expect(judge(await registry.knowledge(first, siteId), 'second_event').outcome).toBe('accept')
    await registry.knowledge(third, siteId)
    expect(registry.knowledge(third, siteId)).not.toBeInstanceOf(Promise)
  })

  test('of the least used workspaces is forgotten when there are too many of them', async () => {
    const registry = await createRegistry(control, { contractsMax: 100, workspacesMax: 2 })
    const ids = [await newWorkspace(), await newWorkspace(), await newWorkspace()]
    for (const workspaceId of ids) await registry.knowledge(workspaceId, siteId)
    const held = ids.filter((workspaceId) => !(registry.knowledge(workspaceId, siteId) instanceof Promise))
    expect(held).toEqual(ids.slice(1))
  })
})

describe('an older version', () => {
  test('is fetched on demand, and only if it is live', async () => {
    const registry = await createRegistry(control)
    const workspaceId = await newWorkspace()
    await publish(registry, workspaceId, 'seat_added', counted)
    await publish(registry, workspaceId, 'seat_added', { count: { type: 'boolean', required: true } })
    const known = await registry.knowledge(workspaceId, siteId)
    expect(judge(known, 'seat_added', { contract_version: '9-9-9' }).contractVersion).toBe('2-0-0')
    expect(registry.fetchAskedVersions(workspaceId)).toBeNull()
    expect(judge(known, 'seat_added', { contract_version: '1-0-0' }).contractVersion).toBe('2-0-0')
    await registry.fetchAskedVersions(workspaceId)
    expect(judge(known, 'seat_added', { contract_version: '1-0-0' })).toMatchObject({
      contractVersion: '1-0-0',
      outcome: 'accept',
    })
    await archiveContract(control, workspaceId, 'seat_added')
    await registry.changed(workspaceId, { contracts: ['seat_added'] })
    const after = await registry.knowledge(workspaceId, siteId)
    expect(judge(after, 'seat_added', { contract_version: '1-0-0' }).outcome).toBe('quarantine')
  })
})

/** Bytes that are still reachable. */
const collectGarbage = (() => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  return () => {
    collect()
    return process.memoryUsage().heapUsed
  }
})()

/** The shortest of several rounds in turns: a busy machine makes some of them long, and not all. */
function judgeMicroseconds(one: GateKnowledge, other: GateKnowledge): [number, number] {
  const round = (known: GateKnowledge) => {
    const start = performance.now()
    for (let count = 0; count < 500; count += 1) judge(known, 'event_0')
    return ((performance.now() - start) / 500) * 1_000
  }
  const rounds = Array.from({ length: 21 }, () => [round(one), round(other)] as const)
  return [Math.min(...rounds.map(([first]) => first)), Math.min(...rounds.map(([, second]) => second))]
}

test('10,000 contracts and 600 versions later memory and the time of a judgement are what they were', async () => {
  const registry = await createRegistry(control)
  const workspaceId = await newWorkspace()
  const contract = (key: string) => ({
    key,
    name: key,
    version: '1-0-0',
    status: 'published' as const,
    description: 'One of many',
    properties: { ...counted, plan: { type: 'string', enum: ['a', 'b'], pattern: '^[a-z]+$' } } as const,
    additional: 'accept' as const,
    surfaces: ['web'] as const,
    purpose: 'analytics_storage' as const,
  })
  await publish(registry, workspaceId, 'event_0', counted)

  const rows = Array.from({ length: 9_999 }, (_, index) =>
    toRow(contract(`event_${index + 1}`), [1, 0, 0], 'published', systemClock),
  )
  await control.transaction((sql) => insertContracts(sql, workspaceId, rows))
  await registry.changed(workspaceId, { contracts: rows.map((row) => row.key) })
  expect((await registry.knowledge(workspaceId, siteId)).contracts.size).toBe(10_000)

  const rounds = 600
  const memory: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const properties = { ...counted, [`extra_${round}`]: { type: 'string', pattern: '^[a-z]+$' } } as const
    const version = await publish(registry, workspaceId, 'event_0', properties)
    const known = await registry.knowledge(workspaceId, siteId)
    expect(judge(known, 'event_0').contractVersion).toBe(version)
    if (round === 200 || round === rounds) memory.push(collectGarbage())
  }
  const known = await registry.knowledge(workspaceId, siteId)
  const alone = await newWorkspace()
  await publish(registry, alone, 'event_0', counted)
  const [timeAlone, timeAmongMany] = judgeMicroseconds(await registry.knowledge(alone, siteId), known)
  const [early = 0, late = 0] = memory
  const grownMegabytes = (late - early) / 1_000_000
  console.info(
    `judging: ${timeAlone.toFixed(1)} µs alone, ${timeAmongMany.toFixed(1)} µs among 10,000 contracts; ` +
      `memory after 400 more versions: ${grownMegabytes.toFixed(2)} MB of ${(late / 1_000_000).toFixed(0)} MB`,
  )
  // 400 version numbers take some 30 KB; the compiled versions would take several megabytes.
  expect(grownMegabytes).toBeLessThan(2)
  expect(timeAmongMany).toBeLessThan(timeAlone * 3 + 5)
}, 300_000)
