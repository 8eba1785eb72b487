import { mkdirSync } from 'node:fs'
import type { Config } from '../config.ts'
import { openDashboardAssets } from '../http/assets/dashboard-assets.ts'
import { openDocsAssets } from '../http/assets/docs-assets.ts'
import { openSdkAssets } from '../http/assets/sdk-assets.ts'
import { requireFreePort } from '../http/free-port.ts'
import { createLimits, type Limits } from '../http/limits/limits.ts'
import { ReadTurns, readTurnsOf } from '../http/limits/read-turns.ts'
import { shareLimits } from '../http/limits/shared-limits.ts'
import type { EventLog } from '../ingest/wal/event-log.ts'
import { systemClock } from '../platform/clock.ts'
import { closeDirectory } from '../platform/files/private-directory.ts'
import { silentLogger } from '../platform/logging/logger.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import { type Job, startRepeating } from '../platform/scheduler.ts'
import { removalNowMs } from '../privacy/retention/event-retention.ts'
import { lockDirectory } from '../store/engine/directory-lock.ts'
import { completeFirstRun, prepareFirstRun } from './first-run.ts'
import { createModules, drainMsMax, type Modules } from './modules.ts'
import { type Addresses, type Closers, type Output, openPlatform } from './open-platform.ts'
import { type Parts, partsOf } from './parts.ts'
import { type Assets, listen } from './planes.ts'

export type Product = Assets & {
  /** Where the control plane, or both planes, are reached. */
  url: string
  dataUrl: string
  firstRunFile: string | null
  /** Signs the owner in, once; of the first start only. */
  signInUrl: string | null
  engine: string
  deps: Parts
  log: EventLog
  /** Says that it is not ready and continues to answer for the configured time; called again, no longer. */
  drain: () => Promise<void>
  /** Stops accepting, lets what is under way finish, carries the log into the store, closes. */
  close: () => Promise<void>
}

type StartOptions = Partial<Output> & {
  /** Called when everything is open, and no caller waits yet. */
  onOpened?: () => void | Promise<void>
}

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
  const { now = systemClock, logger = silentLogger, print = () => {}, onStoreLost = () => {} } = options
  const logDir = await openDataDirectory(config, closers)
  const addresses = { url: plannedUrl(config), dataUrl: '' }
  const output = { now, logger, print, onStoreLost }
  const platform = await openPlatform(config, logDir, addresses, output, closers)
  const firstRun = await prepareFirstRun(platform.control, platform.newId, now, config)

  const all: Module[] = []
  closers.push(() => inReverse(all, ({ close }) => close?.()))
  const named = await createModules(platform, logDir, all)
  listenForWorkspaces(named, all)
  const limits = await openLimits(platform, closers)
  closers.push(startJobs(platform, named, all))
  // Before sign-in is closed, which waits for the mails that are under way.
  closers.push(async () => platform.mailer.close())
  closers.push(() => inReverse(all, ({ stop }) => stop?.()))

  const assets = {
    sdk: openSdkAssets(config.dataDir),
    dashboard: openDashboardAssets(config.dataDir),
    docs: openDocsAssets(config.dataDir),
  }
  const complete = () => firstRun && completeFirstRun(firstRun, named.auth.signIn.magicLinks)
  await options.onOpened?.()
  // What can fail is done before a port answers: a node that was ready is not taken away again by its start.
  for (const { resume } of all) await resume?.()
  // A caller who waits until the port answers finds the file complete.
  const linkMade = addresses.url === '' ? null : await complete()
  const readTurns = new ReadTurns(readTurnsOf(platform.events.engine))
  const standing = { isStarting: true }
  await openPlanes({ platform, named, all, limits, readTurns, assets, standing }, addresses, closers)
  const signInUrl = linkMade ?? (await complete())
  standing.isStarting = false
  return {
    ...addresses,
    firstRunFile: firstRun?.file ?? null,
    signInUrl,
    engine: platform.events.engine,
    deps: partsOf(platform, named),
    log: named.ingest.log,
    ...assets,
    drain: () => platform.draining.begin(config.drainMs),
    close: closeAll,
  }
}

/** The log belongs to one process, also where the stores are servers that many can use. */
async function openDataDirectory(config: Config, closers: Closers): Promise<string> {
  for (const port of [config.port, config.dataPort ?? 0]) await requireFreePort(config.host, port)
  closeDirectory(config.dataDir)
  const logDir = `${config.dataDir}/log`
  mkdirSync(logDir, { recursive: true, mode: 0o700 })
  const unlock = await lockDirectory(logDir)
  closers.push(async () => unlock())
  return logDir
}

/** The later ones first: what needs another goes before it. */
async function inReverse(
  modules: readonly Module[],
  act: (module: Module) => void | Promise<void> | undefined,
): Promise<void> {
  for (const module of modules.toReversed()) await act(module)
}

function listenForWorkspaces({ workspaces: { closed } }: Modules, all: readonly Module[]): void {
  for (const { workspaceGone, workspaceRenewed } of all.toReversed()) {
    if (workspaceGone) closed.onGone(workspaceGone)
    if (workspaceRenewed) closed.onRenewed(workspaceRenewed)
  }
}

async function openLimits({ config, control, nodeId, now }: Platform, closers: Closers): Promise<Limits> {
  const events = {
    eventsPerSecond: config.ingestEventsPerSecond,
    eventsPerSecondPerAddress: config.publicEventsPerSecondPerAddress,
  }
  const limits = createLimits(now, events, config.callsPerMinute)
  const endSharing = await shareLimits(control, limits, nodeId)
  closers.push(async () => endSharing())
  return limits
}

function startJobs(platform: Platform, { ingest }: Modules, all: readonly Module[]): () => Promise<void> {
  const running = {
    flushLog: () => ingest.writer.flush(drainMsMax),
    removalNowMs: () => removalNowMs(platform),
  }
  const hasJobs = platform.config.roles.includes('jobs')
  const jobs = all.flatMap((module) => module.jobs?.(running) ?? [])
  return startRepeating(
    jobs.filter(([, , , where]) => hasJobs || where === 'each node').map((job) => unhurried(platform, job)),
    platform.failures,
    platform.metrics.jobRan,
    platform.tracer,
  )
}

/** Jobs work on whole tables, and no request waits for them. */
function unhurried({ control }: Platform, [everyMs, part, work]: Job): Job {
  return [everyMs, part, (onFailure) => control.unhurried(() => work(onFailure))]
}

/** Empty while the system is to choose the port: then only listening says which. */
function plannedUrl({ host, port }: Config): string {
  if (port === 0) return ''
  const isEverywhere = host === '0.0.0.0' || host === '::'
  return `http://${isEverywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Closed first of all: no more calls, then what they left is carried into the store. */
async function openPlanes(
  served: Parameters<typeof listen>[0],
  addresses: Addresses,
  closers: Closers,
): Promise<void> {
  const { writer, freshness } = served.named.ingest
  // What others load is confirmed already.
  const { roles } = served.platform.config
  if (roles.includes('loader')) closers.push(async () => void (await writer.flush(drainMsMax)))
  const { close, ...opened } = await listen(served)
  Object.assign(addresses, opened)
  closers.push(close)
  closers.push(async () => freshness.release())
}
