import { isEmail } from '@assay/contract'

export class ConfigError extends Error {}

export type Env = Readonly<Record<string, string | undefined>>

/** Secrets are sent there, so it needs TLS, except on this machine. */
export function readSafeUrl(env: Env, name: string): string | undefined {
  const url = readUrl(env, name, ['http:', 'https:'])?.replace(/\/+$/, '')
  if (url === undefined || url.startsWith('https:')) return url
  if (/^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/]|$)/.test(url)) return url
  throw new ConfigError(`${name} must begin with https://, unless it is on this machine.`)
}

export function readChoice<const Choices extends readonly [string, ...string[]]>(
  env: Env,
  name: string,
  choices: Choices,
): Choices[number] {
  const text = env[name] ?? ''
  const chosen = text === '' ? choices[0] : choices.find((choice) => choice === text)
  if (chosen !== undefined) return chosen
  throw new ConfigError(`${name} must be ${choices.join(' or ')}, not "${text}".`)
}

export function readInteger(
  env: Env,
  name: string,
  fallback: number,
  minimum: number,
  maximum: number,
): number {
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

export function readKey(env: Env, name: string): string | undefined {
  const text = env[name]
  if (text === undefined || text === '') return undefined
  if (text.length >= keyLengthMin) return text
  throw new ConfigError(
    `${name} must have at least ${keyLengthMin} characters, such as from: openssl rand -hex 32`,
  )
}

export function readFlag(env: Env, name: string): boolean {
  const text = env[name]
  if (text === undefined || text === '' || text === '0' || text === 'false') return false
  if (text === '1' || text === 'true') return true
  throw new ConfigError(`${name} must be true or false, not "${text}".`)
}

export function readEmailSetting(env: Env, name: string, fallback: string): string {
  const text = env[name]
  if (text === undefined || text === '') return fallback
  if (isEmail(text)) return text.trim().toLowerCase()
  throw new ConfigError(`${name} must be an email address, not "${text}".`)
}

/** The value may contain a password, so the message never repeats it. */
export function readUrl(env: Env, name: string, protocols: readonly string[]): string | undefined {
  const text = env[name]
  if (text === undefined || text === '') return undefined
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text
  throw new ConfigError(`${name} must be an address that begins with ${protocols.join('// or ')}//.`)
}
