import { keyHintOf, secretKeyKind } from './pii-keys.ts'
import { findAccountNumber, findNumber } from './pii-numbers.ts'
import { hasEmail, hasIpAddress, hasSecret, isSecretUnderKey } from './pii-text.ts'

export type PiiKind = 'card' | 'secret' | 'iban' | 'email' | 'phone' | 'ssn' | 'tckn' | 'ip'

/**
 * How strict a property is. `default`: cards, secrets, bank accounts, national ids, e-mail and phone are forbidden
 * where form or name makes them certain. `identity`: as default, but e-mail and phone are what the property is for.
 * `deny`: whatever could be personal. `allow`: nothing is looked for.
 */
export type PiiPolicy = 'allow' | 'identity' | 'default' | 'deny'

/** An event has 32 KB at most; a longer text comes only from a tool that judges files, and is not read to its end. */
const scannedCharactersMax = 64 * 1024
/** No phone number, card or account has fewer digits. */
const digitsMin = 7

/** Finds the first personal datum that the policy forbids in a value, knowing the name it stands under. */
export function findPersonalData(
  key: string,
  value: string | number,
  policy: PiiPolicy,
): PiiKind | undefined {
  if (policy === 'allow') return undefined
  const secretKind = secretKeyKind(key)
  if (secretKind !== undefined && isSecretUnderKey(secretKind, String(value))) return 'secret'
  if (typeof value === 'number') {
    // Below seven digits, or with a fraction, a number is an amount, a count or a measure.
    if (value < 1e6 || value > Number.MAX_SAFE_INTEGER || !Number.isInteger(value)) return undefined
    return findNumber(String(value), keyHintOf(key), policy)
  }
  const signs = glance(value)
  return signs === 0 ? undefined : search(key, value, signs, policy)
}

const sign = { at: 1, digits: 2, token: 4, percent: 8, address: 16 } as const

/** One cheap pass that clears nearly every clean value, so that only suspicious ones are read closely. */
function glance(text: string): number {
  const length = Math.min(text.length, scannedCharactersMax)
  let signs = 0
  let digits = 0
  let colons = 0
  let dots = 0
  for (let index = 0; index < length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit <= 57) {
      if (unit >= 48) digits += 1
      else if (unit === 46) dots += 1
      else if (unit === 37) signs |= sign.percent
    } else if (unit === 64) signs |= sign.at
    else if (unit === 58) colons += 1
  }
  if (digits >= digitsMin) signs |= sign.digits
  if (colons >= 2 || (dots >= 3 && digits >= 4)) signs |= sign.address
  // The shortest token form has 16 characters, the shortest telling parameter a dozen.
  if (length >= 12 && tokenSigns.test(text)) signs |= sign.token
  return signs
}

/** The beginnings of the token forms that `hasSecret` knows. */
const tokenSigns =
  /[sr]k[_-]|gh[opusr]_|github_pat|AKIA|ASIA|AIza|eyJ|xox[abeprs]-|glpat-|SG\.|npm_|shp[a-z]{2}_|dop_v|hf_|pypi-|whsec_|PRIVATE KEY|earer |asic |:\/\/|[?&;#](?:pass|pwd|secret|token|access|refresh|id_token|auth|api)/

function search(key: string, value: string, signs: number, policy: PiiPolicy): PiiKind | undefined {
  const capped = value.length > scannedCharactersMax ? value.slice(0, scannedCharactersMax) : value
  const text = (signs & sign.percent) === 0 ? capped : capped.replaceAll('%40', '@').replace(/%2[Bb]/g, '+')
  if ((signs & sign.token) !== 0 && hasSecret(text)) return 'secret'
  const hint = keyHintOf(key)
  if ((signs & sign.digits) !== 0) {
    const kind = findAccountNumber(text) ? 'iban' : findNumber(text, hint, policy)
    if (kind !== undefined) return kind
  }
  if (policy !== 'identity' && (signs & (sign.at | sign.percent)) !== 0) {
    if (hasEmail(text, policy === 'deny' || hint === 'email')) return 'email'
  }
  return policy === 'deny' && (signs & sign.address) !== 0 && hasIpAddress(text) ? 'ip' : undefined
}
