import { type Client, readKeyKind } from '@assay/contract'
import { type Command, type Context, type Outcome, serverOptions } from '../command.ts'
import { type Check, type CheckStatus, fail, unknown } from '../doctor/check.ts'
import { checkCallSites, checkConsent, checkDrift, checkSdks, scanProject } from '../doctor/project-checks.ts'
import { checkAddress, checkKey, checkPage, findSite, guarded } from '../doctor/server-checks.ts'
import { allOrNothing, checkEvent } from '../doctor/test-event.ts'
import { exitCodes } from '../failure.ts'
import { readEventFiles } from '../project/event-file.ts'
import { findProject, type Project } from '../project/project.ts'
import { clientFor, keyOf, serverOf } from '../server/connection.ts'

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'check a setup end to end: server, key, clock, a test event, SDKs, contracts, code, consent',
  usage: 'assay doctor [--no-event] [--page <url>]',
  options: {
    ...serverOptions,
    'data-server': { type: 'string', value: 'url', help: 'address of the data plane, if it is separate' },
    'no-event': { type: 'boolean', help: 'send no test event' },
    page: { type: 'string', value: 'url', help: 'let the server read a page of the site and check its tag' },
  },
  examples: ['assay doctor', 'assay doctor --page https://shop.example/', 'assay doctor --json'],
  run: examine,
}

async function examine(context: Context): Promise<Outcome> {
  const { world, progress } = context
  const project = findProject(world.directory)
  const server = serverOf(context, project)
  const checks: Check[] = await checkAddress(world, server)
  const key = keyOf(context, server)
  const isUp = checks[0]?.status === 'ok'
  if (key === null)
    checks.push(fail('key', `There is no key for ${server}.`, 'assay init, --key or ASSAY_KEY'))
  if (isUp && key !== null) {
    progress('The server answers; checking the rest …')
    checks.push(...(await examineWith(context, project, server, key)))
  } else if (project !== null) checks.push(...checkSdks(project, scanProject(project, [])))
  const hasFailed = checks.some(({ status }) => status === 'fail')
  return {
    exitCode: hasFailed ? exitCodes.found : exitCodes.fine,
    data: { ok: !hasFailed, server, checks },
    lines: checks.flatMap((check) => linesOf(check, context)),
  }
}

async function examineWith(
  context: Context,
  project: Project | null,
  server: string,
  key: string,
): Promise<Check[]> {
  const { world, options } = context
  const control = clientFor(context, server, key)
  const checks = await guarded('key', () => checkKey(control, key))
  if (checks.some(({ status }) => status === 'fail')) return checks
  const site = await findSite(control, project?.config.site)
  if (options.flag('no-event') || readKeyKind(key) === null)
    checks.push(unknown('test event', 'None was sent.'))
  else {
    const data = clientFor(context, options.text('data-server') ?? server, key, allOrNothing)
    checks.push(...(await guarded('test event', () => checkEvent(world, data, site?.id))))
  }
  const page = options.text('page')
  if (page !== undefined) checks.push(...(await guarded('page', () => checkPage(control, site?.id, page))))
  if (project === null) {
    return [
      ...checks,
      unknown('project', 'There is no assay.json here or above.'),
      ...checkConsent(null, site),
    ]
  }
  return [...checks, ...(await examineProject(control, project, site))]
}

async function examineProject(
  control: Client,
  project: Project,
  site: Awaited<ReturnType<typeof findSite>>,
): Promise<Check[]> {
  const contracts = readEventFiles(project.root, project.config.events).files.map(({ contract }) => contract)
  const scan = scanProject(
    project,
    contracts.map(({ key }) => key),
  )
  return [
    ...checkSdks(project, scan),
    ...(await guarded('contracts', () => checkDrift(control, project))),
    ...(await guarded('call sites', () => checkCallSites(control, scan, contracts, site))),
    ...checkConsent(scan, site),
  ]
}

const marks: Readonly<Record<CheckStatus, readonly ['green' | 'yellow' | 'red' | 'grey', string]>> = {
  ok: ['green', 'ok     '],
  warn: ['yellow', 'warn   '],
  fail: ['red', 'FAIL   '],
  unknown: ['grey', '?      '],
}

function linesOf({ name, status, message, hint }: Check, { paint }: Context): string[] {
  const [colour, word] = marks[status]
  const line = `${paint(colour, word)}${name}: ${message}`
  return hint === undefined || hint === '' ? [line] : [line, `       ${hint}`]
}
