import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { silentLogger } from '../../platform/logging/logger.ts'
import { nodeRoles } from '../../platform/node/node-roles.ts'
import { compareVersions, productVersion, worksWith } from '../../platform/node/version.ts'
import { failedStart, startChild } from '../../testing/child-product.ts'
import { freePort } from '../../testing/free-port.ts'
import { type Database, makeDatabase, sharedStores, untilTrue } from '../../testing/harness.ts'
import { type Control, openControl } from '../control.ts'
import { writeAgreed } from '../installation.ts'
import { seeRunning, selectRunning } from './node-store.ts'
import { openRunningNodes } from './running-nodes.ts'
import { requireFitting, survivedFrom, VersionRefused, writeOldest } from './version-check.ts'

const directory = mkdtempSync(join(tmpdir(), 'assay-versions-'))
let database: Database
let clickhouseUrl: string
let control: Control

beforeAll(async () => {
  ;[{ clickhouseUrl }, database] = await Promise.all([sharedStores(), makeDatabase()])
  control = await openControl({ dataDir: directory, url: database.url })
}, 120_000)
afterAll(async () => {
  await control?.close()
  await database?.drop()
  rmSync(directory, { recursive: true, force: true })
})
beforeEach(async () => {
  await control.query('DELETE FROM nodes')
  await control.query('DELETE FROM log_nodes')
  await control.query("DELETE FROM installation WHERE name = 'oldest_version'")
})

const other = { nodeId: 'other', version: '1.4.0', worksWith: '1.3.0', schema: '40.9', roles: nodeRoles }
const run = (node: Partial<typeof other> = {}) => seeRunning(control, { ...other, ...node }, 'run', 60_000)
const own = { nodeId: 'own', version: '1.5.0', worksWith: '1.4.0' }
const removal = {
  name: '0050_sites_no_colour.sql',
  text: '-- survived from 1.5.0 on: it no longer reads the colour.\nALTER TABLE sites DROP COLUMN colour;',
}

test('versions compare by their numbers', () => {
  expect(compareVersions('1.10.0', '1.9.9')).toBeGreaterThan(0)
  expect(compareVersions('0.2.0-beta.1', '0.2.0')).toBe(0)
  expect(compareVersions('', '0.0.1')).toBeLessThan(0)
  expect(compareVersions(worksWith, productVersion)).toBeLessThanOrEqual(0)
})

test('nodes of versions that run together are let in, on both sides', async () => {
  await run()
  await expect(requireFitting(control, own, [])).resolves.toBeUndefined()
  await expect(
    requireFitting(control, { ...own, version: '1.3.2', worksWith: '1.2.0' }, []),
  ).resolves.toBeUndefined()
})

test('a node that is too old for this version is named, and so is what to do', async () => {
  await run({ version: '1.3.9' })
  const refused = requireFitting(control, own, [])
  await expect(refused).rejects.toThrow(VersionRefused)
  await expect(refused).rejects.toThrow(
    'The node other of version 1.3.9 runs, and version 1.5.0 runs with nodes of 1.4.0',
  )
  await expect(refused).rejects.toThrow('Upgrade that node to 1.4.0 first, or stop it.')
})

test('a version that is too old for a node that runs is refused, until that node is gone', async () => {
  await run()
  const old = { nodeId: 'own', version: '1.2.9', worksWith: '1.0.0' }
  await expect(requireFitting(control, old, [])).rejects.toThrow('Start version 1.4.0 here.')
  await seeRunning(control, other, 'run', -1)
  await expect(requireFitting(control, old, [])).resolves.toBeUndefined()
})

test('a migration that a running node does not survive waits for that node', async () => {
  await run()
  expect(survivedFrom(removal)).toBe('1.5.0')
  await expect(requireFitting(control, own, [removal])).rejects.toThrow(
    'The migration 0050_sites_no_colour.sql is survived by version 1.5.0 and later. The node other of version 1.4.0 runs.',
  )
  await run({ version: '1.5.0' })
  await expect(requireFitting(control, own, [removal])).resolves.toBeUndefined()
})

test('a node that wrote no version down counts as the oldest', async () => {
  await control.query("INSERT INTO log_nodes VALUES ('silent', 'run', 'nats', now() + interval '1 minute')")
  expect(await selectRunning(control)).toMatchObject([{ nodeId: 'silent', version: '0.0.0' }])
  await expect(requireFitting(control, own, [])).rejects.toThrow(
    'The node silent of version 0.1.0 or earlier runs',
  )
  await expect(requireFitting(control, { ...own, worksWith: '0.0.0' }, [])).resolves.toBeUndefined()
})

test('stores remember the oldest version that survives their migrations', async () => {
  await writeOldest(control, [removal, { name: '0049_x.sql', text: '-- survived from 1.4.0 on: x\n' }])
  await writeOldest(control, [])
  await expect(requireFitting(control, { ...own, version: '1.4.9' }, [])).rejects.toThrow(
    'The stores were migrated for version 1.5.0 and later, and this is 1.4.9. Start version 1.5.0 or a later one.',
  )
  await expect(requireFitting(control, own, [])).resolves.toBeUndefined()
})

test('a node is listed from its migrations on until it leaves', async () => {
  await run({ worksWith: '0.0.0' })
  const nodes = openRunningNodes(control, { nodeId: 'own', roles: ['data'] }, silentLogger)
  await nodes.steps.before([])
  await nodes.steps.after()
  expect(nodes.list()).toMatchObject([
    { nodeId: 'other' },
    { nodeId: 'own', version: productVersion, roles: ['data'] },
  ])
  await nodes.leave()
  expect((await selectRunning(control)).map(({ nodeId }) => nodeId)).toEqual(['other'])
})

test('a process that does not fit ends with what to do, and one that fits shows the mixed set', async () => {
  const env = {
    ASSAY_POSTGRES_URL: database.url,
    ASSAY_CLICKHOUSE_URL: clickhouseUrl,
    ASSAY_DATA_DIR: mkdtempSync(join(directory, 'node-')),
  }
  await run({ version: '9.0.0', worksWith: '8.0.0' })
  const beforeNode = await failedStart({ ...env, ASSAY_PORT: String(await freePort()) })
  expect(beforeNode.code).toBe(1)
  expect(beforeNode.output).toContain('Start version 9.0.0 here.')
  await run({ version: '9.0.0', worksWith: '0.0.1' })
  await writeAgreed(control, 'oldest_version', '9.0.0')
  const beforeSchema = await failedStart({ ...env, ASSAY_PORT: String(await freePort()) })
  expect(beforeSchema.code).toBe(1)
  expect(beforeSchema.output).toContain('The stores were migrated for version 9.0.0 and later')

  await writeAgreed(control, 'oldest_version', '0.0.1')
  const product = await startChild(env)
  try {
    const metrics = await (await fetch(`${product.url}/metrics`)).text()
    expect(metrics).toContain('assay_nodes{version="9.0.0",schema="40.9"} 1')
    expect(metrics).toMatch(new RegExp(`assay_nodes{version="${productVersion}",schema="[\\d.]+"} 1`))
    expect(metrics).toContain('assay_nodes_with_role{role="jobs"} 2')
    await untilTrue('the versions in the log', () =>
      product.output().includes('Nodes of several versions run: '),
    )
  } finally {
    expect(await product.terminate()).toBe(0)
  }
  expect((await selectRunning(control)).map(({ nodeId }) => nodeId)).toEqual(['other'])
}, 120_000)
