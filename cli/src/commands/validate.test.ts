import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openShell, type Shell } from '../testing/shell.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const conformance = join(root, 'contract', 'src', 'gate', 'conformance.json')
const shells: Shell[] = []
const open = () => {
  const shell = openShell()
  shells.push(shell)
  return shell
}
afterAll(() => {
  for (const shell of shells) shell.remove()
})

const config = { server: 'http://127.0.0.1:1', events: 'assay/events', code: [] }
const seatAdded = {
  key: 'seat_added',
  version: '1-0-0',
  description: 'A seat was added.',
  properties: {
    seats: { type: 'number', required: true, minimum: 1 },
    plan: { type: 'string', enum: ['team', 'business'] },
  },
  additional: 'warn',
}
const good = { event: 'seat_added', user_id: 'u_1', properties: { seats: 2, plan: 'team' } }
const bad = { event: 'seat_added', user_id: 'u_1', properties: { plan: 'team' } }

function project(event: object = seatAdded): Shell {
  const shell = open()
  shell.write('assay.json', config)
  shell.write('assay/events/seat_added.json', event)
  return shell
}

describe('the conformance file of the gate', () => {
  test('gets the very verdicts that it asks for', async () => {
    const said = await open().assay(['validate', '--cases', conformance, '--json'])
    expect(said.json()).toMatchObject({ ok: true, failed: 0, differences: [] })
    expect(Number(said.json().cases)).toBeGreaterThan(250)
    expect(said.exitCode).toBe(0)
  })

  test('gets them from the bundled command too, which any Node from 20 on can run', () => {
    const file = join(open().directory, 'assay.mjs')
    const bundle = join(root, 'cli', 'bin', 'bundle.js')
    expect(spawnSync(process.execPath, [bundle, file], { encoding: 'utf8' }).stderr).toBe('')
    const said = spawnSync(olderNode(), [file, 'validate', '--cases', conformance, '--json'], {
      encoding: 'utf8',
    })
    expect(said.stderr).toBe('')
    expect(JSON.parse(said.stdout)).toMatchObject({ ok: true, failed: 0 })
  })

  test('fails where a verdict is another one, and says which', async () => {
    const shell = open()
    const given = { receivedAt: 1_777_636_800_000 }
    const expected = { outcome: 'accept', codes: [] }
    shell.write('cases.json', [
      { name: 'stranger', endpoint: 'track', given, input: { event: '$login' }, expect: expected },
    ])
    const said = await shell.assay(['validate', '--cases', 'cases.json'])
    expect(said.exitCode).toBe(1)
    expect(said.out).toContain('stranger: outcome is "reject", not "accept"')
  })
})

/** The oldest supported Node, where the machine has it in addition to the one that runs the tests. */
function olderNode(): string {
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'))
  const found = folders
    .map((folder) => join(folder, 'node'))
    .find((node) => spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.startsWith('v20.'))
  if (found === undefined)
    console.info('no Node 20 on the PATH: the bundle is tried with the Node of the tests')
  return found ?? process.execPath
}

describe('events', () => {
  test('are judged alike as one document, as lines, as a batch and from stdin', async () => {
    const shell = project()
    shell.write('document.json', [good, bad])
    shell.write('lines.ndjson', `${JSON.stringify(good)}\n\n${JSON.stringify(bad)}\n`)
    shell.write('batch.json', { batch: [good, bad] })
    const input = [good, bad].map((event) => JSON.stringify(event)).join('\n')
    const outcomes = async (source: string) => {
      const said = await shell.assay(['validate', source, '--json'], { input })
      expect(said.exitCode).toBe(1)
      const { results } = said.json()
      return Array.isArray(results) ? results.map(({ outcome, issues }) => [outcome, issues]) : []
    }
    const expected = await outcomes('document.json')
    expect(expected.map(([outcome]) => outcome)).toEqual(['accept', 'reject'])
    for (const source of ['lines.ndjson', 'batch.json', '-']) expect(await outcomes(source)).toEqual(expected)
  })

  test('are pointed at by file and line', async () => {
    const shell = project()
    shell.write('log.ndjson', `${JSON.stringify(good)}\nnot json\n${JSON.stringify(bad)}\n`)
    const said = await shell.assay(['validate', 'log.ndjson'])
    expect(said.out).toContain('reject  log.ndjson:2')
    expect(said.out).toContain('reject  log.ndjson:3  seat_added')
    expect(said.out).toContain('required_missing seats')
    expect(said.out).toContain('3 events: 1 accept, 0 warn, 0 quarantine, 2 reject.')
  })

  test('of a body of /api/ingest are read as that endpoint reads them, without an identifier', async () => {
    const shell = project()
    shell.write('page.json', {
      siteId: 's',
      token: 't',
      events: [{ type: 'pageview', url: '/', title: 'Home' }],
    })
    expect((await shell.assay(['validate', 'page.json', '--json'])).json()).toMatchObject({
      events: { accept: 1, reject: 0 },
    })
  })

  test('that warn fail the run only where that is asked for', async () => {
    const shell = project()
    shell.write('warn.json', { ...good, properties: { ...good.properties, colour: 'red' } })
    expect((await shell.assay(['validate', 'warn.json'])).exitCode).toBe(0)
    expect((await shell.assay(['validate', 'warn.json', '--fail-on', 'warn'])).exitCode).toBe(1)
    expect((await shell.assay(['validate', 'warn.json', '--fail-on', 'often'])).exitCode).toBe(2)
  })

  test('of a draft are unknown, as on the server, unless drafts are to count', async () => {
    const shell = project({ ...seatAdded, status: 'draft' })
    shell.write('good.json', good)
    const codes = async (...more: string[]) =>
      (await shell.assay(['validate', 'good.json', ...more])).exitCode
    expect(await codes('--fail-on', 'warn')).toBe(1)
    expect(await codes()).toBe(0)
    shell.write('assay/registry.json', { preset: 'strict' })
    expect(await codes()).toBe(1)
    expect(await codes('--drafts')).toBe(0)
  })

  test('are judged as of the time that is named', async () => {
    const shell = project()
    shell.write('old.json', { ...good, ts: '2020-01-01T00:00:00Z' })
    expect((await shell.assay(['validate', 'old.json'])).out).toContain('too_old')
    expect((await shell.assay(['validate', 'old.json', '--at', '2020-01-02T00:00:00Z'])).exitCode).toBe(0)
    expect((await shell.assay(['validate', 'old.json', '--at', 'yesterday'])).exitCode).toBe(2)
  })
})

describe('contract files', () => {
  test('that the registry would refuse are reported with file, line and reason', async () => {
    const shell = project({ ...seatAdded, properties: { seats: { type: 'number', pattern: 'x' } } })
    shell.write('assay/events/broken.json', '{\n  "key": "broken",\n')
    shell.write('assay/events/shape.json', {
      key: 'shape',
      properties: { a: { type: 'text' } },
      colour: 'red',
    })
    shell.write('assay/events/purchase.json', { key: 'purchase' })
    const said = await shell.assay(['validate'])
    expect(said.exitCode).toBe(1)
    expect(said.out).toContain('assay/events/seat_added.json:6  properties.seats: Drop pattern')
    expect(said.out).toContain('assay/events/broken.json:3')
    expect(said.out).toContain('assay/events/shape.json:5  properties.a.type: It must be equal to one of')
    expect(said.out).toContain('colour: It must not have additional properties: colour')
    expect(said.out).toContain('Choose another key: purchase is the standard event')
  })

  test('that are sound pass, and a folder without any project says how to begin', async () => {
    expect((await project().assay(['validate'])).out).toContain('1 contracts are sound.')
    const lost = await open().assay(['validate'])
    expect([lost.exitCode, lost.err]).toEqual([2, expect.stringContaining('assay init')])
  })
})

describe('annotations', () => {
  test('for GitHub point at the right lines, and are the default there', async () => {
    const shell = project()
    shell.write('bad.json', bad)
    const said = await shell.assay(['validate', 'bad.json'], { environment: { GITHUB_ACTIONS: 'true' } })
    expect(said.out).toMatch(/^::error file=bad\.json,line=1,title=required_missing::seat_added, seats: /)
    expect(said.out.split('\n').filter((line) => line.startsWith('::'))).toHaveLength(1)
  })

  test('for GitLab are a report whose entries have distinct fingerprints', async () => {
    const shell = project()
    shell.write('bad.ndjson', `${JSON.stringify(bad)}\n${JSON.stringify(bad)}\n`)
    await shell.assay(['validate', 'bad.ndjson', '--format', 'gitlab', '--output', 'quality.json'])
    const report: { fingerprint: string; location: object }[] = JSON.parse(shell.read('quality.json'))
    expect(report.map(({ location }) => location)).toEqual([
      { path: 'bad.ndjson', lines: { begin: 1 } },
      { path: 'bad.ndjson', lines: { begin: 2 } },
    ])
    expect(new Set(report.map(({ fingerprint }) => fingerprint)).size).toBe(2)
  })
})

test('misuse is reported with the next step, and as JSON on request', async () => {
  const shell = open()
  expect(await shell.assay(['valdate'])).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('assay --help'),
  })
  expect((await shell.assay(['validate', '--colour'])).err).toContain('assay validate --help')
  const said = await shell.assay(['validate', 'nowhere.json', '--json'])
  expect(said.json()).toEqual({ error: { message: 'There is no file nowhere.json.', hint: null } })
})
