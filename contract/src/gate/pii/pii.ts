import { keyHintOf, secretKeyKind } from './pii-keys.ts'
import { findAccountNumber, findNumber } from './pii-numbers.ts'
import type { PiiKind, PiiPolicy } from './pii-policy.ts'
import {
  hasEmail,
  hasIpAddress,
  hasPasswordInAddress,
  hasSecretParameter,
  hasToken,
  isSecretUnderKey,
} from './pii-text.ts'

/**
 * An event has 32 KB at most; a longer text comes only from a tool that validates files, and is not scanned
 * to its end.
 */
const scannedCharactersMax = 64 * 1024
/** No phone, card or account number has fewer digits. */
const digitsMin = 7

/** Finds the first personal data that the policy forbids in a value, given its property name. */
export function findPersonalData(
  key: string,
  value: string | number,
  policy: PiiPolicy,
): PiiKind | undefined {
  if (policy === 'allow') return undefined
  const secretKind = secretKeyKind(key)
  if (secretKind !== undefined && isSecretUnderKey(secretKind, String(value))) return 'secret'
  if (typeof value === 'number') {
    // With fewer than seven digits, or with a fraction, a number is an amount, a count or a measurement.
    if (value < 1e6 || value > Number.MAX_SAFE_INTEGER || !Number.isInteger(value)) return undefined
    return findNumber(String(value), keyHintOf(key), policy)
  }
  const signs = glance(value)
  return signs === 0 ? undefined : search(key, value, signs, policy)
}

const sign = { at: 1, digits: 2, token: 4, percent: 8, address: 16, query: 32 } as const

/** What a character can be part of; zero for most punctuation and everything beyond ASCII. */
const unitKind = { digit: 1, upper: 2, word: 4, at: 8, percent: 16, dot: 32, colon: 64, query: 128 } as const

const unitKinds = new Uint8Array(128)
for (let unit = 0; unit < 128; unit += 1) {
  const character = String.fromCharCode(unit)
  if (/[0-9]/.test(character)) unitKinds[unit] = unitKind.word | unitKind.digit
  else if (/[A-Z]/.test(character)) unitKinds[unit] = unitKind.word | unitKind.upper
  else if (/[a-z_-]/.test(character)) unitKinds[unit] = unitKind.word
}
unitKinds[64] = unitKind.at
unitKinds[37] = unitKind.percent
unitKinds[46] = unitKind.dot
unitKinds[58] = unitKind.colon
// A parameter follows ? & ; or #.
for (const unit of [63, 38, 59, 35]) unitKinds[unit] = unitKind.query

/** The shortest token is twelve letters and digits in a row, and no token is all lower case. */
const tokenCharactersMin = 12

/** One cheap pass that clears nearly every clean value, so that only suspicious ones are scanned. */
function glance(text: string): number {
  const length = Math.min(text.length, scannedCharactersMax)
  let seen = 0
  let digits = 0
  let dots = 0
  let colons = 0
  let run = 0
  let runKinds = 0
  let isToken = false
  for (let index = 0; index < length; index += 1) {
    const kind = unitKinds[text.charCodeAt(index)] ?? 0
    if ((kind & unitKind.word) !== 0) {
      run += 1
      runKinds |= kind
      digits += kind & unitKind.digit
      continue
    }
    isToken ||= run >= tokenCharactersMin && runKinds !== unitKind.word
    run = 0
    runKinds = 0
    seen |= kind
    if (kind === unitKind.dot) dots += 1
    else if (kind === unitKind.colon) colons += 1
  }
  isToken ||= run >= tokenCharactersMin && runKinds !== unitKind.word
  return (
    (isToken ? sign.token : 0) |
    (digits >= digitsMin ? sign.digits : 0) |
    (colons >= 2 || (dots >= 3 && digits >= 4) ? sign.address : 0) |
    ((seen & unitKind.at) !== 0 ? sign.at : 0) |
    ((seen & unitKind.percent) !== 0 ? sign.percent : 0) |
    ((seen & unitKind.query) !== 0 ? sign.query : 0)
  )
}

function search(key: string, value: string, signs: number, policy: PiiPolicy): PiiKind | undefined {
  const capped = value.length > scannedCharactersMax ? value.slice(0, scannedCharactersMax) : value
  const text = (signs & sign.percent) === 0 ? capped : capped.replaceAll('%40', '@').replace(/%2[Bb]/g, '+')
  if ((signs & sign.token) !== 0 && hasToken(text)) return 'secret'
  if ((signs & sign.query) !== 0 && hasSecretParameter(text)) return 'secret'
  if ((signs & sign.at) !== 0 && hasPasswordInAddress(text)) return 'secret'
  const hint = (signs & (sign.digits | sign.at | sign.percent)) === 0 ? 'none' : keyHintOf(key)
  if (policy === 'deny' && (signs & sign.address) !== 0 && hasIpAddress(text)) return 'ip'
  if ((signs & sign.digits) !== 0) {
    // A tel: link contains a number that the site itself shows to everyone.
    const numberPolicy = policy === 'default' && text.startsWith('tel:') ? 'identity' : policy
    const kind = findAccountNumber(text) ? 'iban' : findNumber(text, hint, numberPolicy)
    if (kind !== undefined) return kind
  }
  if (policy !== 'identity' && (signs & (sign.at | sign.percent)) !== 0) {
    if (hasEmail(text, policy === 'deny' || hint === 'email')) return 'email'
  }
  return undefined
}
