import { flushCompileCache } from 'node:module'
import { readConfig } from '../config.ts'
import { LogRefused } from '../ingest/replicated/log-refusal.ts'
import { systemClock } from '../platform/clock.ts'
import { DirectoryOpen } from '../platform/files/private-directory.ts'
import { chooseFormat, createLogger, createPrint, type Logger } from '../platform/logging/logger.ts'
import { collectGarbage } from '../platform/node/heap.ts'
import { type NodeRole, nodeRoles } from '../platform/node/node-roles.ts'
import { compileOnce } from '../platform/node/wasm-compiler.ts'
import { ConfigError } from '../platform/settings/environment.ts'
import { StoreUnreachable } from '../platform/store-failure.ts'
import { ClusterRefused } from '../store/cluster/cluster.ts'
import { DirectoryLocked, EngineRefused, isPortable } from '../store/engine/open.ts'
import { EventsApart } from '../store/events-home.ts'
import { OtherSchema } from '../store/migrations/migrate.ts'
import { VersionRefused } from '../store/nodes/version-check.ts'
import type { Product } from './app.ts'
import type { Assets } from './planes.ts'

/** Runs the product until a signal ends it. `startedMs` is when the process began to load it. */
export async function runProcess(startedMs: number): Promise<void> {
  try {
    await start(startedMs)
  } catch (error) {
    // For the person who starts it, in plain text: a setting may be wrong, also one of the log's.
    console.error(explain(error) ?? error)
    process.exit(1)
  }
}

async function start(startedMs: number): Promise<void> {
  const config = readConfig()
  const output = {
    level: config.logLevel,
    format: chooseFormat(config.logFormat, process.stdout.isTTY),
    now: systemClock,
    // Unlike a plain write it survives a closed pipe.
    write: (line: string) => console.log(line),
  }
  const logger = createLogger(output)
  const print = createPrint(output, logger)
  const serverLogger = logger.child({ component: 'server' })
  if (config.clickhouseUrl !== undefined || !(await isPortable(config.engine))) compileOnce()
  // Only now: a start that a setting forbids ends before everything is loaded.
  const { startProduct } = await import('./app.ts')
  const product = await startProduct(config, {
    logger,
    print,
    onStoreLost: () => process.exit(1),
    // What the start left would stay until ingest needs the space.
    onOpened: collectGarbage,
  })
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  print(`Assay is up at ${product.url} (${seconds} s, events engine: ${product.engine})`)
  if (product.dataUrl !== product.url) print(`The data plane is at ${product.dataUrl}`)
  if (product.firstRunFile) print(`First run: workspace, site and keys are in ${product.firstRunFile}`)
  if (product.signInUrl) print(`Sign in as the owner, once, within a day: ${product.signInUrl}`)
  if (config.roles.length < nodeRoles.length) print(`Roles of this node: ${config.roles.join(', ')}`)
  stopOnSignals(product, serverLogger)
  // Not only at the end: a process that is killed leaves it to the next one, too.
  flushCompileCache()
  // So that the first visitor does not wait for it.
  for (const making of pagesOf(product, config.roles)) {
    making.catch((error: unknown) => serverLogger.error({ err: error }, 'A page is not ready for visitors'))
  }
}

function pagesOf({ dashboard, docs, sdk }: Assets, roles: readonly NodeRole[]): Promise<unknown>[] {
  if (roles.includes('control')) return [dashboard.page().then(docs.page), sdk.current('sdk.js')]
  return roles.includes('data') ? [sdk.current('sdk.js')] : []
}

/** Requests under way, loads and jobs end within this time, or are cut off; what is acknowledged is in the log. */
const closeMsMax = 45_000

/** The first signal drains and closes; a second one ends the draining. */
function stopOnSignals({ drain, close }: Pick<Product, 'drain' | 'close'>, logger: Logger): void {
  let stopping = false
  const stop = (signal: string) => {
    if (stopping) return void drain()
    stopping = true
    logger.info(`${signal}: finishing what is under way, then closing`)
    drain()
      .then(() => {
        setTimeout(() => {
          logger.error(`Closing takes longer than ${closeMsMax / 1_000} s: what is left is cut off`)
          process.exit(1)
        }, closeMsMax).unref()
        return close()
      })
      .then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error({ err: error }, 'Closing failed')
          process.exit(1)
        },
      )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

/** What a person can do about it; anything unknown keeps its stack. */
function explain(thrown: unknown): string | null {
  const unreachable = thrown instanceof StoreUnreachable
  const error = unreachable ? thrown.cause : thrown
  if (error instanceof ConfigError || error instanceof DirectoryOpen) return error.message
  if (error instanceof EventsApart || error instanceof EngineRefused) return error.message
  if (error instanceof VersionRefused) return error.message
  if (error instanceof OtherSchema || error instanceof LogRefused) return error.message
  if (error instanceof ClusterRefused) return error.message
  if (error instanceof DirectoryLocked) return `${error.message} Stop the other one, or set ASSAY_DATA_DIR.`
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const message = error instanceof Error ? error.message : String(error)
  switch (code) {
    case 'EADDRINUSE':
      return `The port is taken (${message}). Set ASSAY_PORT to a free one, or stop what listens there.`
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `Not permitted (${message}). Check who owns the data directory, and ports below 1024.`
    case 'ENOSPC':
    case 'EDQUOT':
      return 'The disk is full. Free some space in the data directory and start again; nothing acknowledged is lost.'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'ECONNREFUSED':
    case 'ETIMEDOUT':
      return explainUnreachable(message)
    case '28P01':
    case '28000':
    case '3D000':
      return `Postgres refuses (${message}). Check user, password and database in ASSAY_POSTGRES_URL.`
    default:
      return unreachable ? explainUnreachable(message) : null
  }
}

const explainUnreachable = (message: string) =>
  `A store cannot be reached (${message}). Check ASSAY_CLICKHOUSE_URL and ASSAY_POSTGRES_URL.`
