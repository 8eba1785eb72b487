import { clickIdNames } from './source/click-ids.ts'
import { textCharsMax } from './text.ts'

/**
 * Removes e-mail addresses, tokens and passwords from a query string before it is stored. The name of the
 * parameter stays, so that URLs of one page still look alike. Losing a harmless value that looks like a token
 * is the smaller mistake.
 */
export function withoutSecrets(query: string): string {
  return storable(query).split('&').map(withoutSecret).join('&')
}

/** Nothing beyond is stored; truncated between two parameters, since half a secret may not look like one. */
function storable(query: string): string {
  if (query.length <= textCharsMax) return query
  const cut = query.lastIndexOf('&', textCharsMax)
  return cut < 0 ? '' : query.slice(0, cut)
}

const secretNames: ReadonlySet<string> = new Set([
  'access_token',
  'api_key',
  'apikey',
  'auth',
  'authorization',
  'auth_token',
  'client_secret',
  'csrf',
  'csrf_token',
  'e-mail',
  'email',
  'email_address',
  'id_token',
  'jwt',
  'key',
  'mail',
  'magic',
  'otp',
  'passcode',
  'passwd',
  'password',
  'phone',
  'pin',
  'pwd',
  'refresh_token',
  'reset_token',
  'secret',
  'session',
  'session_id',
  'sessionid',
  'sid',
  'sig',
  'signature',
  'token',
])

const exempt: ReadonlySet<string> = new Set(clickIdNames)

function withoutSecret(pair: string): string {
  const equals = pair.indexOf('=')
  const name = decode(equals < 0 ? pair : pair.slice(0, equals)).toLowerCase()
  const value = equals < 0 ? '' : decode(pair.slice(equals + 1))
  if (equals < 0) return looksSecret(name) ? '' : pair
  // A click id looks like a token but grants no access; it is stored for attribution.
  if (exempt.has(name) && !email.test(value)) return pair
  return secretNames.has(name) || looksSecret(value) ? pair.slice(0, equals + 1) : pair
}

const email = /[^\s@]@[^\s@]+\.[^\s@]{2}/
/**
 * `eyJ` is the start of `{"` in base64, with which a JSON web token begins. No `+`, which would match again
 * from every start.
 */
const jsonWebToken = /eyJ[\w-]{10}/
/** Vendors mark their keys so that scanners can find them: Stripe and ours, GitHub, Slack, AWS, Google. */
const markedKey = /(?:[sr]k_(?:live|test)_|gh[opsu]_|xox[abprs]-|AKIA|AIza|ya29\.)/
/** 32 hexadecimal digits are 128 bits, the minimum for secrets; dashes make it a UUID. */
const longHex = /(?:[\da-f]-?){32}/i
/** 16 characters of base64 are 96 bits. Words and dates joined without a separator are seldom as long. */
const mixedRun = /[\dA-Za-z]{16,}/g

function looksSecret(value: string): boolean {
  if (value.length < 6) return false
  if (email.test(value) || markedKey.test(value) || jsonWebToken.test(value) || longHex.test(value))
    return true
  return (
    value.match(mixedRun)?.some((run) => /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run)) ?? false
  )
}

/** A stray percent sign must not lose the URL, and a value that was encoded twice may still contain an @. */
function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  const spaced = text.replaceAll('+', ' ').replaceAll(/%(?:25)*40/g, '@')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}
