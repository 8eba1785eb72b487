import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { proxyTrust } from '../http/limits/proxy-trust.ts'
import { CityDatabaseError } from '../ingest/enrich/country/city-database.ts'
import { packagedCountryLookup } from '../ingest/enrich/country/country-lookup.ts'
import { placeOfHeaders } from '../ingest/enrich/country/place.ts'
import { cityDatabasePart, openPlaces, type Places } from '../ingest/enrich/country/place-lookup.ts'
import { type Clock, newId } from '../platform/clock.ts'
import { createFailures } from '../platform/logging/failures.ts'
import type { Logger, Print } from '../platform/logging/logger.ts'
import { createMailer } from '../platform/mail/mail.ts'
import { createMetrics } from '../platform/metrics.ts'
import { createDraining } from '../platform/node/drain.ts'
import { readNodeId } from '../platform/node/node-id.ts'
import type { Platform } from '../platform/platform.ts'
import { ConfigError } from '../platform/settings/environment.ts'
import type { Tracer } from '../platform/tracing/tracer.ts'
import { localFiles } from '../store/files/local-files.ts'
import { sharedFiles } from '../store/files/shared-files.ts'
import { measuredStores } from '../store/measured-stores.ts'
import { openStores } from '../store/open-stores.ts'

/** How everything that was opened is closed again, the last first. */
export type Closers = (() => Promise<void>)[]
export type Output = {
  now: Clock
  logger: Logger
  print: Print
  /** Called when an embedded store crashed: the product can only be started again. */
  onStoreLost: () => void
}
/** Where the product is reached; empty until it is known. */
export type Addresses = { url: string; dataUrl: string }

/** The stores, and all that every module may use. */
export async function openPlatform(
  config: Config,
  logDir: string,
  addresses: Addresses,
  { now, logger, print, onStoreLost }: Output,
  closers: Closers,
): Promise<Platform> {
  const metrics = createMetrics(now)
  const nodeId = readNodeId(config.dataDir)
  const failures = createFailures(now, logger)
  // A file that cannot be used is known before the stores are opened, which takes seconds.
  const places = await openAddresses(config, failures, logger)
  const tracer = await openTracing(config, { nodeId, failures }, closers)
  const opening = openStores({ ...config, logDir, nodeId }, { logger, closers, onLost: onStoreLost })
  readCountries()
  const opened = await opening
  const { control, events } = measuredStores(opened, metrics, tracer)
  const publicUrl = () => config.publicUrl ?? addresses.url
  const from = () => config.mailFrom ?? `Assay <no-reply@${new URL(publicUrl()).hostname}>`
  const mailLogger = logger.child({ component: 'mail' })
  const mailer = createMailer({ smtpUrl: config.smtpUrl, from, print, logger: mailLogger })
  return {
    config,
    nodeId,
    nodes: opened.nodes,
    control,
    events,
    // Any request may reach any node, and any node may be lost.
    files: config.replicatedLog === undefined ? localFiles(config.dataDir) : sharedFiles(control),
    now,
    newId,
    failures,
    draining: createDraining(),
    metrics,
    tracer,
    logger,
    print,
    mailer,
    publicUrl,
    dataUrl: () => config.publicUrl ?? addresses.dataUrl,
    placeOf: places.placeOf,
    refreshPlaces: places.refresh,
    ...requestOrigins(config, places),
  }
}

/** The SDK is loaded only where its setting is there. It is closed last: closing has spans, too. */
async function openTracing(
  { tracing }: Config,
  options: { nodeId: string; failures: Platform['failures'] },
  closers: Closers,
): Promise<Tracer | null> {
  if (tracing === undefined) return null
  const { openTracer } = await import('../platform/tracing/otlp-tracer.ts')
  const tracer = openTracer(tracing, options)
  closers.push(tracer.close)
  return tracer
}

/** The tables are read at the first question, which should not be a visitor's. */
async function openAddresses(
  { geoipFile: file }: Config,
  failures: Platform['failures'],
  logger: Logger,
): Promise<Places> {
  const countryOf = packagedCountryLookup()
  const onDamage = (error: unknown) => failures.report(cityDatabasePart, error)
  const onTaken = ({ type, madeAt }: { type: string; madeAt: Date }) =>
    logger.info({ component: cityDatabasePart, type, madeAt }, `Regions and cities come from ${type}.`)
  return openPlaces({ countryOf, file, onDamage, onTaken }).catch((error: unknown) => {
    if (!(error instanceof CityDatabaseError)) throw error
    throw new ConfigError(`ASSAY_GEOIP_FILE: ${error.message}`)
  })
}

/**
 * The first look-up reads the tables. That holds this thread for 0.3 s, so it is done while the stores open in threads
 * of their own, and not by the first event.
 */
function readCountries(): void {
  packagedCountryLookup()('192.0.2.1')
}

/** Where a caller is, as far as a trusted proxy or the address say. */
function requestOrigins(config: Config, { placeOf }: Places) {
  const isTrusted = proxyTrust(config.trustProxy)
  const isFromProxy = ({ raw }: FastifyRequest) => isTrusted(raw.socket.remoteAddress ?? '', 0)
  const countryOfRequest = (request: FastifyRequest) =>
    (isFromProxy(request) && placeOfHeaders(request.headers).country) || placeOf(request.ip).country
  return { isFromProxy, countryOfRequest }
}
