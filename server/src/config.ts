import { resolve } from 'node:path'
import { type MetricsAccess, metricsModes } from './http/access/metrics-access.ts'
import type { CallLimits } from './http/limits/limits.ts'
import type { Proxies } from './http/limits/proxy-trust.ts'
import { type LogFormat, type LogLevel, logFormats, logLevels } from './platform/logging/logger.ts'
import type { NodeRole } from './platform/node/node-roles.ts'
import type { ReplicatedLogSettings } from './platform/node/replicated-log-settings.ts'
import {
  type Env,
  readChoice,
  readEmailSetting,
  readFlag,
  readInteger,
  readKey,
  readUrl,
} from './platform/settings/environment.ts'
import { requireKnown } from './platform/settings/known-settings.ts'
import { readReplicatedLog } from './platform/settings/log-settings.ts'
import { hasSharedLog, readCluster, readRoles } from './platform/settings/node-settings.ts'
import { type OauthConfig, readOauth } from './platform/settings/oauth-settings.ts'
import { readProxies } from './platform/settings/proxy-settings.ts'
import { readTracing } from './platform/settings/tracing-settings.ts'
import type { TracingSettings } from './platform/tracing/tracer.ts'

/** The only file that reads the environment. */
export type Config = {
  host: string
  port: number
  /** Separate port of the data plane, when the planes are split. */
  dataPort: number | undefined
  dataDir: string
  clickhouseUrl: string | undefined
  /** The cluster of ClickHouse whose replicas each hold all events; undefined for one server. */
  clickhouseCluster: string | undefined
  postgresUrl: string | undefined
  /** Which embedded events engine runs; undefined uses the fastest installed one. */
  engine: 'native' | 'portable' | undefined
  /** This node's events store becomes the one of the installation, wherever the events were before. */
  eventsTakeOver: boolean
  publicUrl: string | undefined
  /** Encrypts secrets that have to be read again; by default a key of the installation is used. */
  encryptionKey: string | undefined
  /** Owner of the workspace created at the first start. */
  ownerEmail: string
  /** The mail server; without it links are logged. */
  smtpUrl: string | undefined
  mailFrom: string | undefined
  /** Whether people without an invitation get an account. */
  signUp: 'invited' | 'open'
  oauth: OauthConfig
  /** The proxies in front, whose headers for the client's address and place are trusted. */
  trustProxy: Proxies
  /** A city database in MaxMind's format; without it addresses have a country alone. */
  geoipFile: string | undefined
  /** Whether callbacks of data-subject requests may go to private network addresses. */
  allowPrivateCallbacks: boolean
  /** Data-subject requests processed concurrently by a node; erasures done together count as one. */
  requestsAtOnce: number
  /** Per site, for secret and for public senders each. */
  ingestEventsPerSecond: number
  publicEventsPerSecondPerAddress: number
  callsPerMinute: CallLimits
  /** What this node does; each once, in their usual order. */
  roles: readonly NodeRole[]
  /** While it stops: how long requests are still taken, so that a proxy can send them elsewhere. */
  drainMs: number
  /** Undefined where the log is files in the data directory. */
  replicatedLog: ReplicatedLogSettings | undefined
  /** The replicated log was made again: load what it holds from its beginning. */
  logTakeOver: boolean
  logBytesMax: number
  segmentBytesMax: number
  segmentAgeMsMax: number
  /** Maximum share of time for loads into the events store while few events arrive; 1 is no limit. */
  loadShare: number
  logLevel: LogLevel
  logFormat: LogFormat
  /** Whether each request is logged. */
  logRequests: boolean
  /** Undefined where no spans are recorded. */
  tracing: TracingSettings | undefined
  /** Who may read `/metrics`. */
  metrics: MetricsAccess
  /** How long the deletion of a workspace can be cancelled. */
  workspaceDeleteDays: number
  /** How long recorded visits are kept. */
  replayDays: number
  /** Maximum size and age of one destination's queue. */
  destinationQueue: { queueMax: number; queueHours: number }
}

/** A 2 GB log is about four million events: hours of an outage of the events store. */
const logBytesDefault = 2 * 1024 ** 3

export function readConfig(given: Env = process.env): Config {
  const known = new Set<string>()
  const env: Env = new Proxy(given, {
    get: (settings, name: string) => {
      known.add(name)
      return settings[name]
    },
  })
  const config = configOf(env)
  requireKnown(given, known)
  return config
}

function configOf(env: Env): Config {
  return {
    host: env.ASSAY_HOST ?? '127.0.0.1',
    port: readInteger(env, 'ASSAY_PORT', 4400, 0, 65_535),
    dataPort:
      env.ASSAY_DATA_PORT === undefined ? undefined : readInteger(env, 'ASSAY_DATA_PORT', 0, 0, 65_535),
    dataDir: resolve(env.ASSAY_DATA_DIR ?? './.assay'),
    clickhouseUrl: readUrl(env, 'ASSAY_CLICKHOUSE_URL', ['http:', 'https:']),
    clickhouseCluster: readCluster(env),
    postgresUrl: readUrl(env, 'ASSAY_POSTGRES_URL', ['postgres:', 'postgresql:']),
    engine: readEngine(env),
    eventsTakeOver: readFlag(env, 'ASSAY_EVENTS_TAKE_OVER'),
    publicUrl: readUrl(env, 'ASSAY_PUBLIC_URL', ['http:', 'https:'])?.replace(/\/+$/, ''),
    ownerEmail: readEmailSetting(env, 'ASSAY_OWNER_EMAIL', 'owner@localhost'),
    smtpUrl: readUrl(env, 'ASSAY_SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: env.ASSAY_MAIL_FROM === '' ? undefined : env.ASSAY_MAIL_FROM,
    signUp: readChoice(env, 'ASSAY_SIGN_UP', ['invited', 'open']),
    oauth: readOauth(env),
    encryptionKey: readKey(env, 'ASSAY_ENCRYPTION_KEY'),
    trustProxy: readProxies(env, 'ASSAY_TRUST_PROXY'),
    geoipFile: (env.ASSAY_GEOIP_FILE ?? '') === '' ? undefined : resolve(env.ASSAY_GEOIP_FILE ?? ''),
    allowPrivateCallbacks: readFlag(env, 'ASSAY_ALLOW_PRIVATE_CALLBACKS'),
    requestsAtOnce: readInteger(env, 'ASSAY_SUBJECT_REQUESTS_AT_ONCE', 4, 1, 32),
    ingestEventsPerSecond: readInteger(env, 'ASSAY_INGEST_EVENTS_PER_SECOND', 1_000, 1, 1e9),
    // Far above what a page or an office sends, far below what a site accepts.
    publicEventsPerSecondPerAddress: readInteger(
      env,
      'ASSAY_PUBLIC_EVENTS_PER_SECOND_PER_ADDRESS',
      200,
      1,
      1e9,
    ),
    callsPerMinute: readCallLimits(env),
    roles: readRoles(env),
    drainMs: 1_000 * readInteger(env, 'ASSAY_DRAIN_SECONDS', hasSharedLog(env) ? 5 : 0, 0, drainSecondsMax),
    replicatedLog: readReplicatedLog(env),
    logTakeOver: readFlag(env, 'ASSAY_LOG_TAKE_OVER'),
    logBytesMax: readInteger(env, 'ASSAY_LOG_BYTES_MAX', logBytesDefault, 1, Number.MAX_SAFE_INTEGER),
    // Large enough that a load is efficient, small enough that one starts within a second under load.
    segmentBytesMax: readInteger(env, 'ASSAY_SEGMENT_BYTES_MAX', 16 * 1024 * 1024, 1, 1024 ** 3),
    segmentAgeMsMax: readInteger(env, 'ASSAY_SEGMENT_AGE_MS_MAX', 500, 10, 60_000),
    // A load costs the engine the same few statements for one event as for thousands, so it waits for more
    // events: with a fifth of the time the native engine loads immediately, and the portable one leaves four
    // fifths to other work.
    loadShare: readInteger(env, 'ASSAY_LOAD_SHARE_PERCENT', 20, 1, 100) / 100,
    logLevel: readChoice(env, 'ASSAY_LOG_LEVEL', logLevels),
    logFormat: readChoice(env, 'ASSAY_LOG_FORMAT', logFormats),
    logRequests: readFlag(env, 'ASSAY_LOG_REQUESTS'),
    tracing: readTracing(env),
    metrics: {
      mode: readChoice(env, 'ASSAY_METRICS', metricsModes),
      token: readKey(env, 'ASSAY_METRICS_TOKEN'),
    },
    workspaceDeleteDays: readInteger(env, 'ASSAY_WORKSPACE_DELETE_DAYS', 7, 0, 365),
    replayDays: readInteger(env, 'ASSAY_REPLAY_DAYS', 30, 1, 365),
    destinationQueue: {
      // About 150 MB of events; a receiver that takes a hundred per second empties it in a quarter of an
      // hour.
      queueMax: readInteger(env, 'ASSAY_DESTINATION_QUEUE_MAX', 100_000, 1, 1e8),
      // A day of attempts, and a day for what had to wait in the queue behind them.
      queueHours: readInteger(env, 'ASSAY_DESTINATION_QUEUE_HOURS', 48, 24, 24 * 30),
    },
  }
}

/** Surfaces A and C as specified, the control plane of B and unknown callers by our decisions. */
function readCallLimits(env: Env): CallLimits {
  return {
    apiRead: readInteger(env, 'ASSAY_API_READS_PER_MINUTE', 120, 1, 1e9),
    apiWrite: readInteger(env, 'ASSAY_API_WRITES_PER_MINUTE', 30, 1, 1e9),
    controlRead: readInteger(env, 'ASSAY_CONTROL_READS_PER_MINUTE', 600, 1, 1e9),
    controlWrite: readInteger(env, 'ASSAY_CONTROL_WRITES_PER_MINUTE', 120, 1, 1e9),
    person: readInteger(env, 'ASSAY_PERSON_CALLS_PER_MINUTE', 1_200, 1, 1e9),
    signIn: readInteger(env, 'ASSAY_SIGN_INS_PER_MINUTE', 30, 1, 1e9),
    open: readInteger(env, 'ASSAY_UNKNOWN_CALLS_PER_MINUTE', 600, 1, 1e9),
  }
}

/** Proxies ask every few seconds; more only delays the stop. */
const drainSecondsMax = 300

function readEngine(env: Env): Config['engine'] {
  const chosen = readChoice(env, 'ASSAY_ENGINE', ['auto', 'native', 'portable'])
  return chosen === 'auto' ? undefined : chosen
}
