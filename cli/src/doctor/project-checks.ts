import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, type EventContract, generateCode, getCatalog, type Site } from '@assay/contract'
import type { Project } from '../project/project.ts'
import { compareWithServer } from '../registry/sides.ts'
import { packageDependencies } from '../setup/project-kind.ts'
import { eventWords, knownSdks } from '../source/mentions.ts'
import { type FileFinding, findSources, readSources } from '../source/sources.ts'
import { type CallSite, callSites } from './call-sites.ts'
import { type Check, fail, ok, unknown, warn } from './check.ts'
import { checkFailing } from './failing-events.ts'

/** What the code of a project says about events. */
type ProjectScan = { findings: readonly FileFinding[]; isCut: boolean }

export function scanProject({ root, config }: Project, keys: readonly string[]): ProjectScan {
  const generated = config.code.map(({ folder }) => folder).filter((folder) => folder !== '.')
  const { files, isCut } = findSources(root, generated)
  return { findings: readSources(root, files, eventWords(keys)), isCut }
}

/** Which SDKs the project uses, in which version, and where. */
export function checkSdks({ root }: Project, { findings }: ProjectScan): Check[] {
  const dependencies = packageDependencies(root)
  const installs = findings.filter((one) => one.kind === 'install')
  const packages = knownSdks
    .filter((name) => name in dependencies)
    .map((name) => {
      const place = installs.find((one) => one.name === name)
      return `${name} ${dependencies[name]}${place === undefined ? '' : `, imported in ${place.file}:${place.line}`}`
    })
  const others = installs
    .filter(({ name }) => !(name in dependencies))
    .map(
      ({ name, file, line }) =>
        `${name} in ${file}:${line}${isPackage(name) ? '' : ', which is always current'}`,
    )
  const all = [...packages, ...others.slice(0, placesMax)]
  const keyless = installs.filter(({ lacksKey }) => lacksKey)
  return [
    all.length > 0
      ? ok('sdk', `Found: ${all.join('; ')}.`)
      : unknown(
          'sdk',
          'No SDK was found. Plain HTTP is enough; assay init --snippet <page> adds the browser SDK.',
        ),
    ...keyless.map(({ file, line }) =>
      warn('sdk', `The script tag in ${file}:${line} has no data-key, so it sends nothing.`, keyHint),
    ),
  ]
}

const keyHint = 'Add data-key="pk_live_…", a public key of the site.'
/** Places named in a line; a site may have a tag on each page. */
const placesMax = 5
const isPackage = (name: string) => knownSdks.includes(name) || name === 'the Java SDK'

/** Whether files, generated code and server agree. */
export async function checkDrift(client: Client, project: Project): Promise<Check[]> {
  const { standings } = await compareWithServer(client, project, () => {})
  const of = (pattern: RegExp) => standings.filter(({ kind }) => pattern.test(kind)).map(({ key }) => key)
  const [conflicts, here, there] = [of(/^conflict$/), of(/Here$/), of(/There$/)]
  const checks: Check[] = []
  if (conflicts.length > 0)
    checks.push(
      fail('contracts', `Changed here and on the server: ${conflicts.join(', ')}.`, 'See: assay pull'),
    )
  if (there.length > 0)
    checks.push(warn('contracts', `Newer on the server: ${there.join(', ')}.`, 'Bring them: assay pull'))
  if (here.length > 0)
    checks.push(warn('contracts', `Changed here only: ${here.join(', ')}.`, 'Register them: assay push'))
  if (checks.length === 0)
    checks.push(ok('contracts', `${standings.length} events, the same here and on the server.`))
  return [...checks, ...(await checkCode(client, project))]
}

async function checkCode(client: Client, { root, config }: Project): Promise<Check[]> {
  const stale: string[] = []
  for (const { language, folder } of config.code) {
    const environment = config.environment ?? 'production'
    const { files } = await client.call(generateCode, { query: { language, environment } })
    for (const { path, content } of files) {
      const file = join(root, folder, path)
      if (!existsSync(file) || readFileSync(file, 'utf8') !== content) stale.push(`${folder}/${path}`)
    }
  }
  if (config.code.length === 0) return [unknown('code', 'No language is chosen, so no code is generated.')]
  if (stale.length === 0) return [ok('code', 'Generated code matches the live contracts.')]
  return [warn('code', `Outdated: ${stale.join(', ')}.`, 'Bring it: assay pull')]
}

/** Call sites in the code, compared with the events that arrive. */
export async function checkCallSites(
  client: Client,
  { findings, isCut }: ProjectScan,
  contracts: readonly EventContract[],
  site: Site | null,
): Promise<Check[]> {
  const keys = contracts.map(({ key }) => key)
  const sites = callSites(findings)
  const seen = await seenEvents(client, site)
  const called = new Map(sites.map((found) => [found.event, found]))
  const silent = keys
    .filter((key) => called.has(key) && !seen.has(key))
    .map((key) => placeOf(called.get(key)))
  const unsent = keys.filter((key) => !called.has(key) && !seen.has(key))
  const more = isCut ? ' Only a part of the project was read.' : ''
  const checks = [
    ok('call sites', `${sites.length} calls of ${called.size} of ${keys.length} events.${more}`),
  ]
  if (silent.length > 0)
    checks.push(
      warn(
        'live',
        `Sent by code and not seen in 30 days: ${silent.join(', ')}.`,
        'Is that code released and executed?',
      ),
    )
  if (unsent.length > 0)
    checks.push(
      warn(
        'live',
        `Neither sent by code here nor seen: ${unsent.join(', ')}.`,
        'Archive what you do not need.',
      ),
    )
  return [...checks, ...(await checkFailing(client, site, sites))]
}

function placeOf(site: CallSite | undefined): string {
  return site === undefined ? '' : `${site.event} (${site.file}:${site.line})`
}

async function seenEvents(client: Client, site: Site | null): Promise<ReadonlySet<string>> {
  const seen = new Set<string>()
  let cursor: string | null = null
  do {
    const page: { data: { name: string; volume: number }[]; nextCursor: string | null } = await client.call(
      getCatalog,
      {
        query: { limit: 200, ...(site !== null && { siteId: site.id }), ...(cursor !== null && { cursor }) },
      },
    )
    for (const { name, volume } of page.data) if (volume > 0) seen.add(name)
    cursor = page.nextCursor
  } while (cursor !== null)
  return seen
}

/** A site that requires consent needs code that sends it. */
export function checkConsent(scan: ProjectScan | null, site: Site | null): Check[] {
  if (site === null) return [unknown('consent', 'The site is not known to this key.')]
  const { consentRegime, onDenied, domain } = site
  if (consentRegime === null)
    return [
      ok('consent', `${domain} has no regime: events need no consent. Is that right for your visitors?`),
    ]
  const fate = onDenied === 'reject' ? 'refused' : 'counted without a person'
  const rule = `${domain} is validated by ${consentRegime}; denied events are ${fate}.`
  if (scan === null) return [unknown('consent', rule)]
  const call = scan.findings.find(({ kind }) => kind === 'consent')
  if (call !== undefined) return [ok('consent', `${rule} Consent is sent in ${call.file}:${call.line}.`)]
  const hint =
    "Call assay.consent(…) where visitors choose; until then the regime's default applies. See docs/consent.md."
  return [warn('consent', `${rule} No code here sends what visitors chose.`, hint)]
}
