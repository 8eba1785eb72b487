import { resolve } from 'node:path'
import { isEmail } from '@assay/contract'
import type { MetricsAccess } from './http/access/metrics-access.ts'
import type { CallLimits } from './http/limits/limits.ts'
import { isNetwork, type Proxies } from './http/limits/proxy-trust.ts'
import { type LogFormat, type LogLevel, logFormats, logLevels } from './platform/logging/logger.ts'
import { isNodeRole, type NodeRole, nodeRoles } from './platform/node/node-roles.ts'
import type { ReplicatedLogSettings } from './platform/node/replicated-log-settings.ts'
import { nearestName } from './platform/text/nearest-name.ts'
import { samplers, type TracingSettings } from './platform/tracing/tracer.ts'
import { clusterNamePattern } from './store/cluster/cluster.ts'

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

export type ProviderConfig = { issuer: string; clientId: string; clientSecret: string }

export type OauthConfig = {
  google: ProviderConfig | undefined
  github: (ProviderConfig & { apiUrl: string }) | undefined
  /** Exact redirect URIs of OAuth clients. */
  redirectUris: readonly string[]
}

export class ConfigError extends Error {}

type Env = Readonly<Record<string, string | undefined>>

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

/** Of the command, of the tests, and what Kubernetes sets for a service of this name. */
const notSettings =
  /^ASSAY_(?:URL|KEY|TEST_\w+|(?:\w+_)?SERVICE_HOST|(?:\w+_)?SERVICE_PORT(?:_\w+)?|(?:\w+_)?PORT_\d+_\w+)$/

/** A misspelt setting would be ignored, and its absence found out much later. */
function requireKnown(env: Env, known: ReadonlySet<string>): void {
  const unknown = Object.keys(env).find(
    (name) => name.startsWith('ASSAY_') && !known.has(name) && !notSettings.test(name),
  )
  if (unknown === undefined) return
  const nearest = nearestName(unknown, known)
  const hint = nearest === undefined ? 'docs/settings.md lists them.' : `Is ${nearest} meant?`
  throw new ConfigError(`There is no setting ${unknown}. ${hint}`)
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
      mode: readChoice(env, 'ASSAY_METRICS', ['local', 'open', 'off']),
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

/** The standard names of OpenTelemetry; the SDK reads further ones itself, such as those of headers and service. */
function readTracing(env: Env): TracingSettings | undefined {
  const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  const hasEndpoint = endpoints.map((name) => readUrl(env, name, ['http:', 'https:'])).some(Boolean)
  const isOff = env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none'
  if (!hasEndpoint || isOff) return undefined
  const share = env.OTEL_TRACES_SAMPLER_ARG ?? ''
  const ratio = share === '' ? 1 : Number(share)
  if (!(ratio >= 0 && ratio <= 1)) {
    throw new ConfigError(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "${share}".`)
  }
  return { sampler: readChoice(env, 'OTEL_TRACES_SAMPLER', samplers), ratio }
}

/** Proxies ask every few seconds; more only delays the stop. */
const drainSecondsMax = 300

const hasSharedLog = (env: Env) => (env.ASSAY_LOG_URL ?? '') !== ''

function readRoles(env: Env): readonly NodeRole[] {
  const text = env.ASSAY_ROLES
  if (text === undefined) return nodeRoles
  const named = text.split(',').map((one) => one.trim())
  const unknown = named.find((one) => one !== '' && !isNodeRole(one))
  if (unknown !== undefined) {
    throw new ConfigError(
      `ASSAY_ROLES takes ${nodeRoles.join(', ')}, with commas between them, and not "${unknown}".`,
    )
  }
  const chosen = nodeRoles.filter((role) => named.includes(role))
  const missing = nodeRoles.filter((role) => !named.includes(role))
  if (chosen.length === 0) {
    throw new ConfigError(
      `ASSAY_ROLES is empty, so this node would do nothing. Name some of ${nodeRoles.join(', ')}, or unset it for all.`,
    )
  }
  if (missing.length === 0 || hasSharedLog(env)) return chosen
  throw new ConfigError(
    `ASSAY_ROLES leaves out ${missing.join(', ')}. Without ASSAY_LOG_URL there is one node, and it does everything: unset ASSAY_ROLES, or set ASSAY_LOG_URL.`,
  )
}

function readCluster(env: Env): string | undefined {
  const name = env.ASSAY_CLICKHOUSE_CLUSTER ?? ''
  if (name === '') return undefined
  if (!clusterNamePattern.test(name)) {
    throw new ConfigError(
      'ASSAY_CLICKHOUSE_CLUSTER takes a name of up to 64 letters, digits, hyphens and underscores that begins with a letter.',
    )
  }
  if ((env.ASSAY_CLICKHOUSE_URL ?? '') !== '') return name
  throw new ConfigError(
    'ASSAY_CLICKHOUSE_CLUSTER needs ClickHouse servers, and the events store is embedded. Set ASSAY_CLICKHOUSE_URL to one of them, or unset ASSAY_CLICKHOUSE_CLUSTER.',
  )
}

/** Enough for a node each on large installations; every one costs the events store its own loads. */
const partitionsMax = 64
/** What NATS accepts. */
const replicasMax = 5
const logNamePattern = /^[A-Za-z0-9_-]{1,32}$/

function readReplicatedLog(env: Env): ReplicatedLogSettings | undefined {
  const name = env.ASSAY_LOG_NAME || 'assay'
  const partitions = readInteger(env, 'ASSAY_LOG_PARTITIONS', 4, 1, partitionsMax)
  const [credentialsFile, caFile] = [env.ASSAY_LOG_CREDENTIALS_FILE, env.ASSAY_LOG_CA_FILE]
  const urls = readServers(env, 'ASSAY_LOG_URL')
  const replicas = readInteger(env, 'ASSAY_LOG_REPLICAS', urls.length >= 3 ? 3 : 1, 1, replicasMax)
  const [first] = urls
  if (first === undefined) return undefined
  if (!logNamePattern.test(name)) {
    throw new ConfigError('ASSAY_LOG_NAME takes up to 32 letters, digits, hyphens and underscores.')
  }
  const missing = ['ASSAY_POSTGRES_URL', 'ASSAY_CLICKHOUSE_URL'].filter((store) => (env[store] ?? '') === '')
  if (missing.length > 0) {
    throw new ConfigError(
      `ASSAY_LOG_URL needs stores that are servers, because any node loads the log. Set ${missing.join(' and ')} too, or unset ASSAY_LOG_URL.`,
    )
  }
  return {
    servers: urls.map(({ host }) => host),
    user: readLogin('ASSAY_LOG_URL', first.username),
    password: readLogin('ASSAY_LOG_URL', first.password),
    isTls: urls.some(({ protocol }) => protocol === 'tls:'),
    credentialsFile: credentialsFile === '' ? undefined : credentialsFile,
    caFile: caFile === '' ? undefined : caFile,
    name,
    partitions,
    replicas,
  }
}

function readLogin(name: string, text: string): string | undefined {
  try {
    return text === '' ? undefined : decodeURIComponent(text)
  } catch {
    throw new ConfigError(`${name} has a user or password with a % that encodes nothing. Write %25 for it.`)
  }
}

/** The value may contain a password, so the message never repeats it. */
function readServers(env: Env, name: string): URL[] {
  const texts = (env[name] ?? '').split(',').map((text) => text.trim())
  return texts
    .filter((text) => text !== '')
    .map((text) => {
      const url = text.includes('://') ? text : `nats://${text}`
      const parsed = URL.canParse(url) ? new URL(url) : null
      const isKnown = parsed !== null && ['nats:', 'tls:'].includes(parsed.protocol)
      if (isKnown && parsed.host !== '') return parsed
      throw new ConfigError(
        `${name} must be addresses that begin with nats:// or tls://, with commas between them.`,
      )
    })
}

function readOauth(env: Env): OauthConfig {
  const google = readProvider(env, {
    issuer: 'ASSAY_OAUTH_GOOGLE_ISSUER',
    clientId: 'ASSAY_OAUTH_GOOGLE_CLIENT_ID',
    clientSecret: 'ASSAY_OAUTH_GOOGLE_CLIENT_SECRET',
    usual: 'https://accounts.google.com',
  })
  const github = readProvider(env, {
    issuer: 'ASSAY_OAUTH_GITHUB_ISSUER',
    clientId: 'ASSAY_OAUTH_GITHUB_CLIENT_ID',
    clientSecret: 'ASSAY_OAUTH_GITHUB_CLIENT_SECRET',
    usual: 'https://github.com',
  })
  const apiUrl = readSafeUrl(env, 'ASSAY_OAUTH_GITHUB_API_URL') ?? 'https://api.github.com'
  const redirectUris = (env.ASSAY_OAUTH_REDIRECT_URIS ?? '').split(/[\s,]+/).filter((uri) => uri !== '')
  const unreadable = redirectUris.find((uri) => !URL.canParse(uri))
  if (unreadable !== undefined) {
    throw new ConfigError(`ASSAY_OAUTH_REDIRECT_URIS must be addresses, and "${unreadable}" is none.`)
  }
  return { google, github: github && { ...github, apiUrl }, redirectUris }
}

type ProviderNames = { issuer: string; clientId: string; clientSecret: string; usual: string }

function readProvider(env: Env, names: ProviderNames): ProviderConfig | undefined {
  const [clientId, clientSecret] = [env[names.clientId] ?? '', env[names.clientSecret] ?? '']
  const issuer = readSafeUrl(env, names.issuer) ?? names.usual
  if (clientId === '' && clientSecret === '') return undefined
  if (clientId !== '' && clientSecret !== '') return { issuer, clientId, clientSecret }
  throw new ConfigError(`${names.clientId} and ${names.clientSecret} belong together: set both or neither.`)
}

/** Secrets are sent there, so it needs TLS, except on this machine. */
function readSafeUrl(env: Env, name: string): string | undefined {
  const url = readUrl(env, name, ['http:', 'https:'])?.replace(/\/+$/, '')
  if (url === undefined || url.startsWith('https:')) return url
  if (/^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/]|$)/.test(url)) return url
  throw new ConfigError(`${name} must begin with https://, unless it is on this machine.`)
}

function readChoice<const Choices extends readonly [string, ...string[]]>(
  env: Env,
  name: string,
  choices: Choices,
): Choices[number] {
  const text = env[name] ?? ''
  const chosen = text === '' ? choices[0] : choices.find((choice) => choice === text)
  if (chosen !== undefined) return chosen
  throw new ConfigError(`${name} must be ${choices.join(' or ')}, not "${text}".`)
}

function readEngine(env: Env): Config['engine'] {
  const chosen = readChoice(env, 'ASSAY_ENGINE', ['auto', 'native', 'portable'])
  return chosen === 'auto' ? undefined : chosen
}

function readInteger(env: Env, name: string, fallback: number, minimum: number, maximum: number): number {
  const text = env[name]
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < minimum || value > maximum) {
    throw new ConfigError(`${name} must be a whole number from ${minimum} to ${maximum}, not "${text}".`)
  }
  return value
}

/** Long enough to resist guessing; 32 random bytes in hex have 64 characters. */
const keyLengthMin = 32

function readKey(env: Env, name: string): string | undefined {
  const text = env[name]
  if (text === undefined || text === '') return undefined
  if (text.length >= keyLengthMin) return text
  throw new ConfigError(
    `${name} must have at least ${keyLengthMin} characters, such as from: openssl rand -hex 32`,
  )
}

function readFlag(env: Env, name: string): boolean {
  const text = env[name]
  if (text === undefined || text === '' || text === '0' || text === 'false') return false
  if (text === '1' || text === 'true') return true
  throw new ConfigError(`${name} must be true or false, not "${text}".`)
}

/**
 * No installation has more proxies; a larger number is a mistake that would let callers choose their address.
 */
const hopsMax = 10

function readProxies(env: Env, name: string): Proxies {
  const text = (env[name] ?? '').trim()
  if (text === '' || text === 'false') return 0
  const advice = `Set the number of proxies in front, such as 1, or their networks, such as 10.0.0.0/8,loopback.`
  if (text === 'true') {
    throw new ConfigError(`${name}=true would believe any address that a caller claims. ${advice}`)
  }
  if (/^\d+$/.test(text)) return readInteger(env, name, 0, 0, hopsMax)
  const networks = text.split(/[\s,]+/).filter((network) => network !== '')
  const wrong = networks.find((network) => !isNetwork(network))
  if (wrong === undefined) return networks
  throw new ConfigError(`${name} must name networks, and "${wrong}" is none. ${advice}`)
}

function readEmailSetting(env: Env, name: string, fallback: string): string {
  const text = env[name]
  if (text === undefined || text === '') return fallback
  if (isEmail(text)) return text.trim().toLowerCase()
  throw new ConfigError(`${name} must be an email address, not "${text}".`)
}

/** The value may contain a password, so the message never repeats it. */
function readUrl(env: Env, name: string, protocols: readonly string[]): string | undefined {
  const text = env[name]
  if (text === undefined || text === '') return undefined
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text
  throw new ConfigError(`${name} must be an address that begins with ${protocols.join('// or ')}//.`)
}
