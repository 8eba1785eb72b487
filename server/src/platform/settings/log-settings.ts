import type { ReplicatedLogSettings } from '../node/replicated-log-settings.ts'
import { ConfigError, type Env, readInteger } from './environment.ts'

/** Enough for a node each on large installations; every one costs the events store its own loads. */
const partitionsMax = 64
/** What NATS accepts. */
const replicasMax = 5
const logNamePattern = /^[A-Za-z0-9_-]{1,32}$/

export function readReplicatedLog(env: Env): ReplicatedLogSettings | undefined {
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
