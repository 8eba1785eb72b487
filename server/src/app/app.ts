import { mkdirSync } from 'node:fs'
import type { FastifyRequest } from 'fastify'
import { type Accounts, createAccounts } from '../auth/auth.ts'
import { createAuditTrail } from '../audit/audit.ts'
import { createKeptForgetting } from '../analytics/cache/large-reads.ts'
import { createKept } from '../analytics/cache/report-cache.ts'
import { createReckoner } from '../analytics/sequences/compute-worker.ts'
import { createAttribution } from '../attribution/attribution.ts'
import type { Config } from '../config.ts'
import { createConsents } from '../consent/consents.ts'
import { createDemos } from '../demo/demo.ts'
import { createOutgoing, type Outgoing } from '../destinations/outgoing.ts'
import { tellEntries } from '../destinations/people-notices.ts'
import { createHealth } from '../event-health/health.ts'
import type { HealthRoom } from '../event-health/scope.ts'
import { type DashboardShelf, openDashboardShelf } from '../http/assets/dashboard-assets.ts'
import { openSdkShelf, type SdkShelf } from '../http/assets/sdk-assets.ts'
import { requireFreePort } from '../http/free-port.ts'
import { proxyTrust } from '../http/limits/proxy-trust.ts'
import { createPeople, type People } from '../identity/people.ts'
import { currentPerson } from '../identity/profiles/person.ts'
import type { DeadLetters } from '../ingest/dead-letters/dead-letters.ts'
import { createLetterDecisions } from '../ingest/dead-letters/decisions.ts'
import { countryOfHeaders } from '../ingest/enrich/country/country.ts'
import { createCountryLookup, packagedRangeFiles } from '../ingest/enrich/country/country-lookup.ts'
import { classifyStored } from '../ingest/enrich/source/channel.ts'
import { createIngest, type Ingest } from '../ingest/ingest.ts'
import type { Writer } from '../ingest/loader/loader.ts'
import { createDecisions } from '../quarantine/decisions.ts'
import { createFreshness } from '../ingest/loader/freshness.ts'
import { locateEvent } from '../receipts/receipt.ts'
import type { EventLog } from '../ingest/wal/write-ahead-log.ts'
import { type Clock, newId, systemClock } from '../platform/clock.ts'
import { createFailures, type Failures } from '../platform/failures.ts'
import { type Logger, type Print, silentLogger } from '../platform/logger.ts'
import { readNodeId } from '../platform/node-id.ts'
import { closeDirectory } from '../platform/private-directory.ts'
import { createPrivacy } from '../privacy/privacy.ts'
import { createBackfills } from '../registry/backfills/backfills.ts'
import { createOverlays, type Overlays } from '../registry/backfills/overlays.ts'
import { createSuperseded, type Superseded } from '../registry/backfills/superseded.ts'
import { createElements } from '../registry/catalog/elements.ts'
import { createRegistry } from '../registry/registry.ts'
import { createReplays } from '../replays/replays.ts'
import { createSiteCurrencies, type SiteCurrencies } from '../sites/currencies.ts'
import { createRates, type Rates } from '../sites/exchange-rates.ts'
import { allSites, createSites, requireSite } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import { lockDirectory } from '../store/engine/directory-lock.ts'
import type { Events } from '../store/events.ts'
import { openStores } from '../store/open-stores.ts'
import { createFilling } from '../transfers/import/import-lock.ts'
import { createTransfers } from '../transfers/transfers.ts'
import { createWebhooks } from '../webhooks/webhooks.ts'
import { type Closers, loadRest, openLimits, openLogAndWriter } from './bootstrap.ts'
import type { Deps } from './deps.ts'
import { completeFirstRun, prepareFirstRun } from './first-run.ts'
import { startJobs } from './jobs.ts'
import { personalDataOf } from './personal-data.ts'
import { listen, type Opened } from './planes.ts'

export type Product = {
  /** Where the control plane, or both planes, are reached. */
  url: string
  dataUrl: string
  firstRunFile: string | null
  /** Signs the owner in, once; of the first start only. */
  signInUrl: string | null
  engine: string
  deps: Deps
  log: EventLog
  /** The browser SDK, for whoever wants it made before a visitor asks for it. */
  sdk: SdkShelf
  dashboard: DashboardShelf
  /** Stops accepting, lets what is under way finish, carries the log into the store, closes. */
  close: () => Promise<void>
}

export type StartOptions = {
  now?: Clock
  logger?: Logger
  print?: Print
}

/** How long a shutdown waits for the events store; what is not loaded by then is loaded at the next start. */
const drainMsMax = 10_000

/** Brings the whole product up. On any failure everything that was opened is closed again. */
export async function startProduct(config: Config, options: StartOptions = {}): Promise<Product> {
  const closers: Closers = []
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse()) await close()
  }
  try {
    return await openProduct(config, options, closers, closeAll)
  } catch (error) {
    await closeAll().catch(() => {})
    throw error
  }
}

async function openProduct(
  config: Config,
  options: StartOptions,
  closers: Closers,
  closeAll: () => Promise<void>,
): Promise<Product> {
  const { now = systemClock, logger = silentLogger, print = () => {} } = options
  const failures = createFailures(now, logger)
  const logDir = `${config.dataDir}/log`
  for (const port of [config.port, config.dataPort ?? 0]) await requireFreePort(config.host, port)
  closeDirectory(config.dataDir)
  mkdirSync(logDir, { recursive: true, mode: 0o700 })
  // The log belongs to one process, also where the stores are servers that many can use.
  const unlock = await lockDirectory(logDir)
  closers.push(async () => unlock())
  const { control, events } = await openStores({ ...config, logDir }, logger, closers)
  const firstRun = await prepareFirstRun(control, newId, now, config)

  const people = await createPeople({ control, events, now, newId, failures })
  const nodeId = readNodeId(config.dataDir)
  const asked = await createConsents(control, people.bornId, now)
  const outgoing = await createOutgoing({ control, consents: asked.consents, config, now, newId, logger })
  const superseded = await createSuperseded(control, events)
  const currencies = createSiteCurrencies(control)
  const shared = { control, events, logDir, nodeId, now, people, outgoing }
  const beside = { ...shared, superseded, currencies, failures }
  const loading = await openLogAndWriter(config, beside, closers)
  await loadRest(loading.writer, logger)

  const limits = await openLimits(config, control, { nodeId, now }, closers)
  const addresses = { url: plannedUrl(config), dataUrl: '' }
  const deps = await createDeps(config, {
    ...beside,
    ...loading,
    asked,
    publicUrl: () => config.publicUrl ?? addresses.url,
    dataUrl: () => config.publicUrl ?? addresses.dataUrl,
    logger,
    print,
  })
  const { backfills, kept, reckoner, attribution, signIn, demos, privacy, exports, imports } = deps
  const closing = [reckoner, exports, imports, backfills, kept, attribution.jobs, signIn, demos]
  closers.push(...closing.map((part) => () => part.close()))
  closers.push(startJobs(deps, drainMsMax))
  closers.push(async () => privacy.stop())
  closers.push(() => outgoing.sending.stop())

  const shelves = { sdk: openSdkShelf(config.dataDir), dashboard: openDashboardShelf(config.dataDir) }
  const complete = () => firstRun && completeFirstRun(firstRun, deps.signIn.magicLinks)
  // Whoever waits until the port answers finds the file complete.
  const signInUrl = addresses.url === '' ? null : await complete()
  const opened = await listen(config, deps, limits, shelves)
  Object.assign(addresses, opened)
  deps.backfills.resume()
  await deps.imports.resume()
  closers.push(...endings(deps, opened))
  return {
    ...addresses,
    firstRunFile: firstRun?.file ?? null,
    signInUrl: signInUrl ?? (await complete()),
    engine: events.engine,
    deps,
    log: deps.log,
    ...shelves,
    close: closeAll,
  }
}

/** From the last to the first: no more calls, then what they left is written down. */
function endings({ writer, keyRing, sessions, freshness }: Deps, opened: Opened): Closers {
  return [
    async () => void (await writer.flush(drainMsMax)),
    () => keyRing.saveUse(),
    () => sessions.saveUse(),
    () => opened.close(),
    async () => freshness.release(),
  ]
}

/** Empty while the system is to choose the port: then only listening tells. */
function plannedUrl({ host, port }: Config): string {
  if (port === 0) return ''
  const isEverywhere = host === '0.0.0.0' || host === '::'
  return `http://${isEverywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`
}

/** What people said about their data. */
type Asked = Awaited<ReturnType<typeof createConsents>>

type Parts = {
  control: Control
  events: Events
  log: EventLog
  writer: Writer
  deadLetters: DeadLetters
  failures: Failures
  people: People
  asked: Asked
  outgoing: Outgoing
  superseded: Superseded
  currencies: SiteCurrencies
  nodeId: string
  now: Clock
  publicUrl: () => string
  dataUrl: () => string
  logger: Logger
  print: Print
}

async function createDeps(config: Config, parts: Parts): Promise<Deps> {
  const { control, events, log, writer, deadLetters, failures, people, asked, outgoing, now } = parts
  const { publicUrl, dataUrl, logger, print } = parts
  const shared = { config, control, now, newId }
  const countryOf = openCountryLookup()
  const { isFromProxy, countryOfRequest } = requestOrigins(config, countryOf)
  const outside = { countryOf: countryOfRequest, publicUrl, logger, print }
  const accounts = await createAccounts({ ...shared, ...outside })
  const { closedWorkspaces } = accounts
  const filling = await createFilling(control)
  const isClosed = (workspaceId: string) => closedWorkspaces.has(workspaceId) || filling.has(workspaceId)
  const sites = await createSites(control, isClosed)
  parts.currencies.onTaken(sites.changed)
  const rates = await createRates(control)
  const registry = await createRegistry(control)
  const elements = await createElements(control)
  const overlays = await createOverlays(control)
  people.onEntries((sql, workspaceId, rows) => tellEntries(outgoing.tellNotice, sql, workspaceId, rows))
  const flush = (timeoutMs?: number) => writer.flush(timeoutMs)
  const backfills = createBackfills({ ...parts, registry, overlays, flush, newId })
  const judged = { control, events, registry, consents: asked.consents, now, newId }
  const ingest = await createIngest({ ...judged, people, log, writer, deadLetters, isClosed })
  const quarantine = createDecisions({ ...judged, sites, ingest, writer })
  const replays = createReplays({ ...judged, people, retentionDays: config.replayDays })
  const kept = createKept(now, (error) => failures.report('cached reports', error))
  const forgetKept = await createKeptForgetting(control, kept)
  const { tellNotice } = outgoing
  const measured = openMeasuring(parts, overlays, rates, ingest)
  forgetWithWorkspaces(parts, { ...accounts, registry, elements, overlays, rates, kept, sites, ingest })
  const { renewed, onGone } = closedWorkspaces
  const transfers = await createTransfers({ ...config, ...parts, newId, ingest, filling, renewed, onGone })
  const exportsDir = `${config.dataDir}/exports`
  const keeping = { ingest, replays, forgetKept, attribution: measured.attribution, ...transfers, exportsDir }
  const places = personalDataOf({ ...parts, ...asked, ...keeping })
  return {
    ...parts,
    sites,
    rates,
    registry,
    elements,
    overlays,
    ...asked,
    backfills,
    ...accounts,
    ingest,
    quarantine,
    held: quarantine.held,
    kept,
    forgetKept,
    ...measured,
    ...transfers,
    filling,
    webhooks: await createWebhooks({ ...shared, sites, registry, ingest, countryOf, dataUrl }),
    replays,
    privacy: await createPrivacy({ ...shared, ...parts, ...asked, tellNotice, places, exportsDir }),
    letterDecisions: createLetterDecisions({ control, log, ingest, sites, deadLetters, now }),
    audit: createAuditTrail({ control, newId, now, countryOf: countryOfRequest }),
    demos: createDemos({ ...judged, sites, ingest, ...demoTies(accounts), failures }),
    tellNotice,
    wantNotice: outgoing.destinations.wanting,
    allowed: config,
    countryOf,
    isFromProxy,
    requireSite: (workspaceId, siteId) => requireSite(sites, workspaceId, siteId),
    newId,
  }
}

/** What of accounts a demo touches. */
function demoTies({ closedWorkspaces, sessions }: Accounts) {
  return { closeWorkspace: closedWorkspaces.close, userChanged: sessions.userChanged }
}

type Remembering = Pick<
  Deps,
  | 'closedWorkspaces'
  | 'keyRing'
  | 'registry'
  | 'elements'
  | 'overlays'
  | 'rates'
  | 'kept'
  | 'sites'
  | 'ingest'
>

/** What is remembered of a workspace goes with it; of one that is imported it is read anew. */
function forgetWithWorkspaces(
  { asked, people, outgoing, superseded }: Parts,
  remembering: Remembering,
): void {
  const { closedWorkspaces, keyRing, registry, elements, overlays, rates, kept, sites, ingest } = remembering
  closedWorkspaces.onGone((workspaceId) => {
    keyRing.forgetWorkspace(workspaceId)
    registry.forgetWorkspace(workspaceId)
    elements.forget(workspaceId)
    overlays.forget(workspaceId)
    superseded.forget(workspaceId)
    rates.forget(workspaceId)
    asked.subjects.forget(workspaceId)
    asked.consents.forgetIds()
    people.mapping.forget(workspaceId)
    kept.forget(`${workspaceId} `)
    outgoing.destinations.forget(workspaceId)
    ingest.recent.forget(workspaceId)
    for (const siteId of sites.forgetWorkspace(workspaceId)) ingest.forgetSite(siteId)
  })
  closedWorkspaces.onRenewed((workspaceId) => {
    superseded.forget(workspaceId)
    return ingest.recall(workspaceId)
  })
}

type Measuring = Pick<Deps, 'freshness' | 'reckoner' | 'attribution' | 'health'>

function openMeasuring(parts: Parts, overlays: Overlays, rates: Rates, ingest: Ingest): Measuring {
  const { control, events, people, log, writer, outgoing, now } = parts
  const freshness = createFreshness(log, writer, now)
  const sitesOf = (workspaceId: string) => allSites(control, workspaceId)
  const locate: HealthRoom['locate'] = (workspaceId, eventId) =>
    locateEvent({ events, ingest }, workspaceId, eventId)
  const personOf: HealthRoom['personOf'] = (workspaceId, identifiers) =>
    currentPerson(people, workspaceId, identifiers)
  const told = { tellNotice: outgoing.tellNotice, wanting: outgoing.destinations.wanting }
  const room = { ...parts, ...told, newId, overlays, rates, sitesOf, locate, personOf }
  const flush = () => writer.flush(drainMsMax)
  const dataUntilMs = (workspaceId: string) => freshness.of(workspaceId).dataUntilMs
  const attribution = createAttribution({ ...room, classify: classifyStored, flush, dataUntilMs })
  return { freshness, reckoner: createReckoner(), attribution, health: createHealth(room) }
}

/** The tables are read at the first question, which should not be a visitor's. */
function openCountryLookup(): Deps['countryOf'] {
  const countryOf = createCountryLookup(packagedRangeFiles())
  countryOf('192.0.2.1')
  return countryOf
}

/** Where a caller is, as far as a trusted proxy or the address tell. */
function requestOrigins(config: Config, countryOf: Deps['countryOf']) {
  const isTrusted = proxyTrust(config.trustProxy)
  const isFromProxy = ({ raw }: FastifyRequest) => isTrusted(raw.socket.remoteAddress ?? '', 0)
  const countryOfRequest = (request: FastifyRequest) =>
    (isFromProxy(request) && countryOfHeaders(request.headers)) || countryOf(request.ip)
  return { isFromProxy, countryOfRequest }
}
