import {
  batch,
  changeContracts,
  createContract,
  createMapping,
  getCatalog,
  listApiKeys,
  listContracts,
  listEventHealth,
  listPeople,
  listProposals,
  listQuarantined,
  listRecentEvents,
  mintApiKey,
  setSeverities,
  updateSite,
  validateEvents,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../../server/src/testing/harness.ts'
import { openShell, type Shell, type ShellOptions } from '../testing/shell.ts'

let world: World
const shells: Shell[] = []

beforeAll(async () => {
  world = await startWorld()
})
afterAll(async () => {
  for (const shell of shells) shell.remove()
  await world?.close()
})

const planChosen = {
  key: 'plan_chosen',
  status: 'published',
  description: 'Someone chose a plan.',
  owner: 'growth',
  properties: { plan: { type: 'string', required: true, enum: ['free', 'team'] } },
} as const

/** A TypeScript project with one event, set up as the documentation says. */
async function setUp(): Promise<{ shell: Shell; ours: TestWorkspace }> {
  const ours = await world.newWorkspace()
  await ours.call(createContract, { body: planChosen })
  const shell = openShell()
  shells.push(shell)
  shell.write('package.json', { dependencies: { next: '16.0.0', react: '19.0.0' } })
  const said = await shell.assay(['init', '--server', world.product.url, '--key', ours.keys.secret])
  expect(said.err).toBe('')
  expect(said.exitCode).toBe(0)
  return { shell, ours }
}

function clone(shell: Shell): Shell {
  const copy = shell.clone()
  shells.push(copy)
  return copy
}

function edit(shell: Shell, change: (event: Record<string, unknown>) => void): void {
  const event = JSON.parse(shell.read('assay/events/plan_chosen.json'))
  change(event)
  shell.write('assay/events/plan_chosen.json', event)
}

const withSeats = (event: Record<string, unknown>) =>
  Object.assign(event, { properties: { ...planChosen.properties, seats: { type: 'number' } } })

describe('a scratch project', () => {
  test('init, pull, edit, push, pull again: the second pull finds no difference', async () => {
    const { shell, ours } = await setUp()
    const begun = shell.snapshot()
    expect(Object.keys(begun)).toEqual([
      'assay.json',
      'assay/code/assay-events.ts',
      'assay/event.schema.json',
      'assay/events/plan_chosen.json',
      'assay/registry.json',
      'package.json',
    ])
    expect((await shell.assay(['pull'])).out).toContain('Nothing to do')
    expect(shell.snapshot()).toEqual(begun)

    edit(shell, withSeats)
    shell.write('assay/events/plan_dropped.json', { key: 'plan_dropped', description: 'Gone.' })
    const pushed = await shell.assay(['push', '--yes'])
    expect(pushed.out).toContain('plan_chosen  1-0-0 → 1-1-0  published  changed')
    expect(pushed.out).toContain('  +     "seats": {')
    expect(pushed.out).toContain('plan_dropped  1-0-0  published  new')
    const after = shell.snapshot()
    expect(JSON.parse(after['assay/events/plan_chosen.json'] ?? '').version).toBe('1-1-0')
    expect(after['assay/code/assay-events.ts']).toContain('planDropped')

    expect((await shell.assay(['pull'])).out).toContain('Nothing to do')
    expect(shell.snapshot()).toEqual(after)
    const { body } = await ours.call(listContracts, { query: { source: 'custom' } })
    expect(body.data.map(({ key, version }) => [key, version])).toEqual([
      ['plan_chosen', '1-1-0'],
      ['plan_dropped', '1-0-0'],
    ])
  })

  test("a colleague's conflicting change is refused in clear words, by push as by pull, and nothing is lost", async () => {
    const { shell } = await setUp()
    const colleague = clone(shell)
    edit(colleague, withSeats)
    expect((await colleague.assay(['push', '--yes'])).exitCode).toBe(0)

    edit(shell, (event) => Object.assign(event, { owner: 'sales' }))
    const mine = shell.snapshot()
    const refused = await shell.assay(['push', '--yes'])
    expect(refused.exitCode).toBe(1)
    expect(refused.err).toContain('Nothing was pushed: a colleague changed the same events.')
    expect(refused.err).toContain(
      'plan_chosen: changed here since 1-0-0, and on the server, where it is at 1-1-0',
    )
    const pulled = await shell.assay(['pull', '--json'])
    expect([pulled.exitCode, pulled.json().conflicts]).toEqual([
      1,
      [expect.objectContaining({ version: '1-1-0' })],
    ])
    expect(shell.read('assay/events/plan_chosen.json')).toBe(mine['assay/events/plan_chosen.json'])

    // Both changes in the file, on top of the server's version: now it succeeds.
    edit(shell, (event) => Object.assign(withSeats(event), { version: '1-1-0' }))
    expect((await shell.assay(['push', '--yes'])).out).toContain('1-1-0 → 1-1-1')
    expect((await colleague.assay(['pull'])).out).toContain('written  assay/events/plan_chosen.json')
    expect(JSON.parse(colleague.read('assay/events/plan_chosen.json')).owner).toBe('sales')
  })

  test('a change between the plan and its confirmation is refused by the server', async () => {
    const { shell, ours } = await setUp()
    edit(shell, withSeats)
    const change = { ...planChosen, description: 'Faster.', expected_version: '1-0-0' }
    const meddling: typeof fetch = async (input, init) => {
      const isApplying =
        String(input).endsWith('/v1/registry/changes') && !String(init?.body).includes('"dry_run":true')
      if (isApplying) await ours.call(changeContracts, { body: { contracts: [change] } })
      return fetch(input, init)
    }
    const refused = await shell.assay(['push', '--yes', '--json'], { fetch: meddling })
    expect(refused.exitCode).toBe(1)
    expect(refused.json()).toMatchObject({
      error: { conflicts: [{ key: 'plan_chosen', expected_version: '1-0-0', version: '1-0-1' }] },
    })
  })

  test('a plan names what breaks, is applied only after a confirmation, and a dry run changes nothing', async () => {
    const { shell, ours } = await setUp()
    edit(shell, (event) => Object.assign(event, { properties: { plan: { type: 'number', required: true } } }))
    const before = shell.snapshot()
    const tried = await shell.assay(['push', '--dry-run'])
    expect(tried.out).toContain('plan_chosen  1-0-0 → 2-0-0  published  BREAKING')
    expect(tried.out).toContain('breaks: properties.plan: type changed from string to number')
    expect((await shell.assay(['push'])).err).toContain('Use --yes to apply it.')
    expect((await shell.assay(['push'], { answers: ['n'] })).err).toContain('Nothing was changed.')
    expect(shell.snapshot()).toEqual(before)
    const { body } = await ours.call(listContracts, { query: { source: 'custom' } })
    expect(body.data.map(({ version }) => version)).toEqual(['1-0-0'])
    expect((await shell.assay(['push'], { answers: ['y'] })).out).toContain(
      '1 events changed, as one change.',
    )
  })

  test('a file that is deleted is archived only by --prune, and one that is deprecated is so on the server', async () => {
    const { shell, ours } = await setUp()
    shell.write('assay/events/plan_kept.json', { key: 'plan_kept' })
    await shell.assay(['push', '--yes'])
    const trimmed = clone(shell)
    edit(trimmed, (event) => Object.assign(event, { status: 'deprecated', replaced_by: 'plan_kept' }))
    await trimmed.assay(['push', '--yes'])
    const statuses = async () => {
      const { body } = await ours.call(listContracts, { query: { source: 'custom' } })
      return body.data.map(({ key, status }) => `${key} ${status}`)
    }
    expect(await statuses()).toEqual(['plan_chosen deprecated', 'plan_kept published'])
    const { rmSync } = await import('node:fs')
    rmSync(`${trimmed.directory}/assay/events/plan_kept.json`)
    expect((await trimmed.assay(['push', '--yes'])).out).toContain('Nothing to push')
    expect((await trimmed.assay(['push', '--yes', '--prune'])).out).toContain('plan_kept  1-0-0  archived')
    expect(await statuses()).toEqual(['plan_chosen deprecated', 'plan_kept archived'])
    expect((await shell.assay(['pull'])).out).toContain('deleted  assay/events/plan_kept.json')
  })
})

test('events get offline, after a pull, exactly the verdicts that the server gives', async () => {
  const { shell, ours } = await setUp()
  await ours.call(createContract, { body: { ...planChosen, properties: { plan: { type: 'string' } } } })
  await ours.call(setSeverities, { body: { unknown_event: 'warn' } })
  const { siteId } = ours
  await ours.call(createMapping, { body: { siteId, source: 'bought it', target: '$purchase' } })
  await shell.assay(['pull'])
  const who = { user_id: 'u_1' }
  const events = [
    { ...who, event: 'plan_chosen', properties: { plan: 'free' } },
    { ...who, event: 'plan_chosen', properties: { plan: 'gold' } },
    // Code generated before the change.
    { ...who, event: 'plan_chosen', properties: { plan: 'gold' }, contract_version: '1-0-0' },
    { ...who, event: 'Bought It', properties: { amount: 3, currency: 'EUR' } },
    { ...who, event: 'order_completed', properties: { total: '12.5', currency: 'eur' } },
    { ...who, event: 'nobody_knows', properties: {} },
    { ...who, event: '$made_up' },
    { event: 'plan_chosen' },
    { ...who, type: 'alias', previousId: 'a' },
    'no object',
  ]
  const { body } = await ours.call(validateEvents, { body: { batch: events } })
  shell.write('events.json', events)
  const said = await shell.assay(['validate', 'events.json', '--json'])
  const { results } = said.json()
  const offline = (Array.isArray(results) ? results : []).map(({ file: _, line: __, ...result }) => ({
    ...result,
    issues: result.issues.map(({ severity: ___, ...issue }: { severity: string }) => issue),
  }))
  expect(offline).toEqual(body.results)
  expect(body.results.map(({ outcome }) => outcome)).toContain('quarantine')
})

describe('init', () => {
  test('recognises the project, and puts the script tag into a page with a key of its own, once', async () => {
    const ours = await world.newWorkspace()
    const shell = openShell()
    shells.push(shell)
    shell.write('pyproject.toml', '[project]\ndependencies = ["Django>=5"]\n')
    shell.write('index.html', '<html>\n<head>\n  <title>x</title>\n</head>\n</html>\n')
    const key = ['--server', world.product.url, '--key', ours.keys.secret]
    const said = await shell.assay(['init', ...key, '--snippet', 'index.html'])
    expect(said.out).toContain('for a project with Django')
    expect(JSON.parse(shell.read('assay.json')).code).toEqual([{ language: 'python', folder: '.' }])
    const page = shell.read('index.html')
    expect(page).toMatch(
      /<script async src="http:[^"]+\/sdk\.js" data-key="pk_live_\w{36}"><\/script>\n<\/head>/,
    )
    expect((await shell.assay(['init', ...key])).err).toContain('--force')
    await shell.assay(['init', ...key, '--force', '--snippet', 'index.html'])
    expect(shell.read('index.html')).toBe(page)
    // An empty registry starts with an example, which is valid and only a draft.
    expect((await shell.assay(['validate'])).out).toContain('1 contracts are sound.')
    expect((await shell.assay(['push', '--yes'])).out).toContain('plan_chosen  1-0-0  draft  new')
  })

  test('signs a person in by mail and keeps a key that only they can read', async () => {
    const ours = await world.newWorkspace()
    const { email } = await world.signIn('owner', ours)
    const shell = openShell()
    shells.push(shell)
    const pasted = async () => {
      const link = world.printed.findLast((line) => line.includes(email))
      return /\S+#token=\S+/.exec(link ?? '')?.[0] ?? ''
    }
    const answers = [email]
    const reading: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init)
      if (String(input).endsWith('/v1/auth/magic-link')) answers.push(await untilLink(pasted))
      return answer
    }
    const said = await shell.assay(['init', '--server', world.product.url], { answers, fetch: reading })
    expect(said.err).toBe('')
    expect(said.exitCode).toBe(0)
    expect((await shell.assay(['pull'])).exitCode).toBe(0)
    const { statSync } = await import('node:fs')
    expect(statSync(`${shell.home}/.config/assay/credentials.json`).mode & 0o777).toBe(0o600)
  })

  test('says in words what is wrong with a key, an address, or what answers there', async () => {
    const ours = await world.newWorkspace()
    const shell = openShell()
    shells.push(shell)
    const init = (server: string, key: string, environment = {}) =>
      shell.assay(['init', '--server', server, '--key', key], { environment })
    const { url } = world.product
    const typo = ours.keys.secret.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
    expect(await init(url, typo)).toMatchObject({ exitCode: 2, err: expect.stringContaining('checksum') })
    expect((await init(url, ours.keys.public)).err).toContain('A public key only sends events')
    const { body: narrow } = await ours.call(mintApiKey, {
      body: { kind: 'secret', name: 'narrow', scopes: ['events:send'] },
    })
    expect(await init(url, narrow.key)).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining('may not do that'),
    })
    const unreachable = await init('http://127.0.0.1:9', ours.keys.secret, {
      HTTPS_PROXY: 'http://proxy.example',
    })
    expect(unreachable).toMatchObject({ exitCode: 3, err: expect.stringContaining('NODE_USE_ENV_PROXY=1') })
    const portal: typeof fetch = async () =>
      new Response('<html><h1>Sign in to the network</h1>', { status: 502 })
    const caught = await shell.assay(['init', '--server', url, '--key', ours.keys.secret], { fetch: portal })
    expect(caught.err).toContain('it was not Assay: Sign in to the network')
    expect((await init('not an address', ours.keys.secret)).exitCode).toBe(2)
  })
})

describe('doctor', () => {
  type Checks = { name: string; status: string; message: string }[]
  const checksOf = async (shell: Shell, args: string[] = [], options: ShellOptions = {}) => {
    const said = await shell.assay(['doctor', '--json', ...args], options)
    const { checks } = said.json()
    const list: Checks = Array.isArray(checks) ? checks : []
    const statusOf = (name: string) => list.find((check) => check.name === name)
    return { exitCode: said.exitCode, list, statusOf }
  }

  test('checks server, clock, key, the verdict on an event, contracts and code', async () => {
    const { shell } = await setUp()
    const { exitCode, statusOf, list } = await checksOf(shell)
    expect([exitCode, list.filter(({ status }) => status === 'fail')]).toEqual([0, []])
    expect(statusOf('address')?.status).toBe('ok')
    expect(statusOf('clock')?.status).toBe('ok')
    expect(statusOf('key')?.message).toContain('Scopes: *')
    expect(statusOf('test event')).toMatchObject({
      status: 'ok',
      message: 'It was sent and validated: accept. Nothing of it is stored.',
    })
    expect(statusOf('contracts')).toMatchObject({
      status: 'ok',
      message: '1 events, the same here and on the server.',
    })
    expect(statusOf('code')?.status).toBe('ok')
  })

  test.each(['learning', 'strict'] as const)('leaves nothing behind when the gate is %s', async (preset) => {
    const { shell, ours } = await setUp()
    await ours.call(setSeverities, { body: { preset } })
    const traces = async () => {
      await ours.settle()
      const keys = await ours.call(listApiKeys, { query: {} })
      const lists = [
        await ours.call(listRecentEvents, { query: { site_id: ours.siteId } }),
        await ours.call(listQuarantined, { query: {} }),
        await ours.call(listEventHealth, { query: { window: '7d' } }),
        await ours.call(getCatalog, { query: { limit: 200 } }),
        await ours.call(listPeople, { query: {} }),
        await ours.call(listProposals, { query: {} }),
      ]
      return [keys.body.data.map(({ id }) => id), ...lists.map(({ body }) => body.data)]
    }
    const before = { traces: await traces(), files: shell.snapshot() }
    for (const key of [ours.keys.secret, ours.keys.test]) {
      const { statusOf } = await checksOf(shell, ['--key', key])
      expect(statusOf('test event')?.status).toBe('ok')
    }
    expect({ traces: await traces(), files: shell.snapshot() }).toEqual(before)
  })

  test('joins call sites with what arrives, and finds SDKs, drift and missing consent', async () => {
    const { shell, ours } = await setUp()
    await ours.call(updateSite, { params: { id: ours.siteId }, body: { consentRegime: 'gdpr' } })
    await ours.call(createContract, { body: { ...planChosen, description: 'Other words.' } })
    shell.write('src/app.ts', "import { planChosen } from './assay'\n\nplanChosen({ plan: 'free' })\n")
    shell.write('package.json', { dependencies: { '@assay/browser': '0.1.0' } })
    const { statusOf } = await checksOf(shell, ['--no-event'])
    expect(statusOf('sdk')?.message).toContain('@assay/browser 0.1.0')
    expect(statusOf('contracts')).toMatchObject({
      status: 'warn',
      message: 'Newer on the server: plan_chosen.',
    })
    expect(statusOf('code')?.status).toBe('warn')
    expect(statusOf('call sites')?.message).toContain('1 calls of 1 of 1 events')
    expect(statusOf('live')?.message).toContain('not seen in 30 days: plan_chosen (src/app.ts:3)')
    expect(statusOf('consent')?.message).toContain('No code here sends what visitors chose.')
    shell.write('src/consent.ts', "assay.consent({ analytics_storage: 'granted' })\n")
    expect((await checksOf(shell, ['--no-event'])).statusOf('consent')?.status).toBe('ok')
  })

  test('says of a call site since which release its event fails', async () => {
    const { shell, ours } = await setUp()
    shell.write('src/app.ts', "import { planChosen } from './assay'\n\nplanChosen({ plan: 'free' })\n")
    const refused = { event: 'plan_chosen', user_id: 'u_1', properties: {} }
    await ours.call(batch, { body: { batch: Array.from({ length: 20 }, () => refused) } })
    await ours.settle()
    const cause = { app_version: '2.4.0', sdk: null, source: null, contract_version: null }
    const opened = new Date(Date.now() - 3_600_000)
    await world.product.deps.control.query(
      `INSERT INTO health_anomalies (id, workspace_id, type, site_id, event_name, issue, started_at, observed, expected,
         score, severity, cause, cause_group, is_alert, status, created_at, updated_at)
       VALUES ($1, $2, 'schema', $3, 'plan_chosen', 'required_missing', $4, 1, 0, 9, 'critical', $5, 'g', true, 'open',
         $4, $4)`,
      [`ano_${ours.siteId}`, ours.workspaceId, ours.siteId, opened, JSON.stringify(cause)],
    )
    const { exitCode, statusOf } = await checksOf(shell, ['--no-event'])
    expect(exitCode).toBe(1)
    const { status, message } = statusOf('health') ?? {}
    expect(status).toBe('fail')
    expect(message).toContain('plan_chosen is failing since release 2.4.0')
    expect(message).toContain('src/app.ts:3')
  })

  test('says which part is broken: the address, the key, or the clock', async () => {
    const { shell, ours } = await setUp()
    const unreachable = await checksOf(shell, ['--server', 'http://127.0.0.1:9'])
    expect([unreachable.exitCode, unreachable.statusOf('address')?.status]).toEqual([1, 'fail'])
    const narrow = await ours.call(mintApiKey, {
      body: { kind: 'secret', name: 'n', scopes: ['events:send'] },
    })
    const poor = await checksOf(shell, ['--key', narrow.body.key])
    expect(poor.statusOf('key')?.message).toContain('cannot read contracts')
    const late = await checksOf(shell, ['--no-event'], { now: Date.now() + 3_600_000 })
    expect(late.statusOf('clock')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('ahead of'),
    })
  })
})

async function untilLink(read: () => Promise<string>): Promise<string> {
  const end = Date.now() + 30_000
  for (;;) {
    const link = await read()
    if (link !== '') return link
    if (Date.now() > end) throw new Error('no link was printed')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
