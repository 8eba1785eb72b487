import {
  ApiProblem,
  type Client,
  checkInstallation,
  isRecord,
  keyKinds,
  listApiKeys,
  listContracts,
  listSites,
  readKeyKind,
  type Site,
} from '@assay/contract'
import { CommandFailure } from '../failure.ts'
import { reasonOf } from '../server/connection.ts'
import { explainProblem } from '../server/refusal.ts'
import type { World } from '../world.ts'
import { type Check, fail, ok, unknown, warn } from './check.ts'

/** Events more than five minutes ahead are clamped (decisions §3); a minute is a sign of a drifting clock. */
const skewWarnMs = 60_000
const skewFailMs = 300_000

/** Whether the server is reachable and ready, and how far its clock is from ours. */
export async function checkAddress(world: World, server: string): Promise<Check[]> {
  const begunAt = world.now()
  let response: Response
  try {
    response = await world.fetch(`${server}/readyz`, { signal: AbortSignal.timeout(10_000) })
  } catch (error) {
    const hint = 'Is it running, and is the address right? Give another with --server.'
    return [fail('address', `${server} cannot be reached: ${reasonOf(error)}.`, hint)]
  }
  const tookMs = world.now() - begunAt
  const text = await response.text()
  const isOurs = isReadiness(text)
  if (!isOurs)
    return [
      fail('address', `${server} answers ${response.status}, but it is not Assay.`, 'A proxy in between?'),
    ]
  const address = response.ok
    ? ok('address', `${server} is ready; it answered in ${tookMs} ms.`)
    : fail('address', `${server} is up but not ready: ${text.slice(0, 200)}`, 'Check the log of the server.')
  return [address, ...failingParts(text), checkClock(response.headers.get('date'), begunAt + tookMs / 2)]
}

function isReadiness(text: string): boolean {
  try {
    const body: unknown = JSON.parse(text)
    return isRecord(body) && 'control' in body && 'events' in body
  } catch {
    // Some other server's page.
    return false
  }
}

/** Parts of the server that fail now: with a broken loader, events are accepted and reach no report. */
function failingParts(text: string): Check[] {
  const { failing }: { failing?: unknown } = JSON.parse(text)
  const parts = Array.isArray(failing) ? failing.filter(isRecord) : []
  return parts.map(({ part, kind, since }) =>
    warn('parts', `${part} fails since ${since}: ${kind}.`, 'Check the log of the server.'),
  )
}

/** The header has a resolution of one second, enough to detect minutes. */
function checkClock(date: string | null, localMs: number): Check {
  const serverMs = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(serverMs)) return unknown('clock', 'The server does not say what time it is.')
  const skewMs = Math.round(localMs - serverMs)
  const seconds = Math.abs(Math.round(skewMs / 1000))
  const words = `This clock is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the server.`
  const hint = 'Synchronise it (NTP). Events are corrected by sent_at; without it their times are wrong.'
  if (Math.abs(skewMs) >= skewFailMs) return fail('clock', words, hint)
  return Math.abs(skewMs) >= skewWarnMs ? warn('clock', words, hint) : ok('clock', words)
}

/** The key's type, and the scopes that matter here. */
export async function checkKey(client: Client, key: string): Promise<Check[]> {
  const kind = readKeyKind(key)
  if (kind === null) return [fail('key', 'The key is malformed.', 'Is it complete?')]
  if (kind === 'public')
    return [
      fail('key', 'A public key only sends events.', `Use one that begins with ${keyKinds.secret.prefix}.`),
    ]
  const registry = await attempt(() => client.call(listContracts, { query: { limit: 1 } }))
  if (registry.problem?.status === 401) {
    const { message, hint } = explainProblem(registry.problem)
    return [fail('key', message, hint ?? '')]
  }
  const what =
    kind === 'test' ? 'a test key: it reads, and what it sends is validated but not stored' : `a ${kind} key`
  const scopes = await scopesOf(client, key)
  const known = scopes === null ? '' : ` Scopes: ${scopes.join(', ')}.`
  const isEnough = registry.problem === undefined
  return [
    isEnough
      ? ok('key', `It is ${what}.${known}`)
      : fail('key', `It is ${what}, and cannot read contracts.${known}`, 'Give it the scope registry:read.'),
  ]
}

/** Only a key that may list keys can read scopes; its own entry is found by its last four characters. */
async function scopesOf(client: Client, key: string): Promise<readonly string[] | null> {
  const listed = await attempt(() => client.call(listApiKeys, { query: { limit: 200 } }))
  return listed.value?.data.find(({ hint }) => hint.endsWith(key.slice(-4)))?.scopes ?? null
}

type Attempt<Value> = { value?: Value; problem?: ApiProblem }

/** Returns a refusal of the server as a value; other errors are thrown. */
async function attempt<Value>(call: () => Promise<Value>): Promise<Attempt<Value>> {
  try {
    return { value: await call() }
  } catch (error) {
    if (error instanceof ApiProblem) return { problem: error }
    throw error
  }
}

export async function findSite(client: Client, wanted: string | undefined): Promise<Site | null> {
  const { value } = await attempt(() => client.call(listSites, { query: { limit: 200 } }))
  const sites = value?.data ?? []
  return (wanted === undefined ? sites[0] : sites.find(({ id }) => id === wanted)) ?? null
}

/** What the server finds in a page of the site. */
export async function checkPage(control: Client, siteId: string | undefined, url: string): Promise<Check[]> {
  if (siteId === undefined) return [unknown('page', 'There is no site to check it for.')]
  const { findings } = await control.call(checkInstallation, { body: { siteId, url } })
  const made = { warning: warn, error: fail }
  return findings.map(({ level, detail, nextStep }) =>
    level === 'ok' ? ok('page', detail) : made[level]('page', detail, nextStep ?? ''),
  )
}

/** A failed check must not stop the others. */
export async function guarded(name: string, look: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof ApiProblem) {
      const { message, hint } = explainProblem(error)
      return [fail(name, message, hint ?? '')]
    }
    if (error instanceof CommandFailure) return [fail(name, error.message, error.hint ?? '')]
    throw error
  }
}
