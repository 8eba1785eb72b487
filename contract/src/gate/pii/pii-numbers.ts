import { accountLengths } from './pii-accounts.ts'
import { isCardNumber, isLooseCardNumber, publishedTestCards } from './pii-cards.ts'
import type { KeyHint } from './pii-keys.ts'
import type { PiiKind, PiiPolicy } from './pii-policy.ts'

/** Consecutive digits: from `start` up to but not including `end`. */
type Group = {
  start: number
  end: number
  /** At most two separators between it and the previous group. */
  isJoined: boolean
}

/** Consecutive groups that could be one number. */
type Candidate = {
  text: string
  groups: readonly Group[]
  digits: string
  /** The length of each group, as in `4444`; empty for a single group. */
  shape: string
  hasPlus: boolean
}

/** No format we look for has more parts. */
const windowGroupsMax = 6
/** A value with more numbers is a table; without a limit one sender could keep a core busy. */
const groupsMax = 2000
/** The same for words that begin like a bank account. */
const accountsMax = 500
/** The longest card number. */
const digitsMax = 19
const digitsMin = 7

// Words near a number that mean the same as a property name.
const cardCue = /\bcards?\b|\bkart|\bvisa\b|mastercard|\bamex\b/i

const cardShapes: ReadonlySet<string> = new Set(['4444', '465', '464', '44443'])
const otherShapes: ReadonlySet<string> = new Set(['324', '334', '1334', '4322', '3322'])

/** Looks for card, national id and phone numbers in the groups of digits of a text. */
export function findNumber(text: string, keyHint: KeyHint, policy: PiiPolicy): PiiKind | undefined {
  const hint = keyHint === 'none' && cardCue.test(text) ? 'card' : keyHint
  const groups: Group[] = []
  let count = 0
  for (let group = nextGroup(text, 0); group !== undefined; group = nextGroup(text, group.end)) {
    count += 1
    if (count > groupsMax) break
    if (!group.isJoined) groups.length = 0
    groups.push(group)
    if (groups.length > windowGroupsMax) groups.shift()
    const kind = findEndingHere(text, groups, hint, policy)
    if (kind !== undefined) return kind
  }
  return policy !== 'identity' && isPhoneUnderKey(text, hint, policy) ? 'phone' : undefined
}

function nextGroup(text: string, from: number): Group | undefined {
  let start = from
  while (start < text.length && !isDigit(text.charCodeAt(start))) start += 1
  if (start === text.length) return undefined
  let end = start + 1
  while (end < text.length && isDigit(text.charCodeAt(end))) end += 1
  const gap = start - from
  const isJoined =
    from > 0 && gap <= 2 && isJoint(text.charCodeAt(from)) && (gap < 2 || isJoint(text.charCodeAt(start - 1)))
  return { start, end, isJoined }
}

/** Space, no-break space, and - . ( ) / */
function isJoint(unit: number): boolean {
  return (
    unit === 32 || unit === 160 || unit === 45 || unit === 46 || unit === 40 || unit === 41 || unit === 47
  )
}

/** Tries the last group alone, then with each group before it. */
function findEndingHere(
  text: string,
  groups: readonly Group[],
  hint: KeyHint,
  policy: PiiPolicy,
): PiiKind | undefined {
  const last = groups.at(-1)
  if (last === undefined || isWordUnit(text.charCodeAt(last.end))) return undefined
  let count = 0
  let shape = ''
  for (let index = groups.length - 1; index >= 0; index -= 1) {
    const group = groups[index]
    if (group === undefined) break
    count += group.end - group.start
    if (count > digitsMax) break
    shape = `${group.end - group.start}${shape}`
    if (count < digitsMin || isWordUnit(text.charCodeAt(group.start - 1))) continue
    const hasPlus = isAfterPlus(text, group.start)
    const isSingle = index === groups.length - 1
    if (!isSingle && !hasPlus && !cardShapes.has(shape) && !otherShapes.has(shape) && hint !== 'ssn') continue
    const digits = text.slice(group.start, last.end).replace(/\D/g, '')
    const candidate = { text, groups: groups.slice(index), digits, shape: isSingle ? '' : shape, hasPlus }
    const kind = kindOf(candidate, hint, policy)
    if (kind !== undefined) return kind
  }
  return undefined
}

function isAfterPlus(text: string, start: number): boolean {
  const isBracketed = text.charCodeAt(start - 1) === 40
  const at = isBracketed ? start - 2 : start - 1
  return text.charCodeAt(at) === 43 && !isWordUnit(text.charCodeAt(at - 1))
}

function kindOf(candidate: Candidate, hint: KeyHint, policy: PiiPolicy): PiiKind | undefined {
  const { digits } = candidate
  if (isCard(candidate, hint, policy)) return 'card'
  if (isSsn(candidate, hint)) return 'ssn'
  if (digits.length === 11 && (hint === 'tckn' || policy === 'deny') && isTckn(digits)) return 'tckn'
  return policy !== 'identity' && isPhone(candidate, hint) ? 'phone' : undefined
}

function isCard({ text, groups, digits, shape }: Candidate, hint: KeyHint, policy: PiiPolicy): boolean {
  if (shape !== '') {
    const joints = groups.slice(1).map((group, index) => text.slice(groups[index]?.end, group.start))
    return cardShapes.has(shape) && joints.every((joint) => /^[ -]$/.test(joint)) && isLooseCardNumber(digits)
  }
  if (hint === 'id' && policy !== 'deny') return publishedTestCards.has(digits)
  return hint === 'card' || policy === 'deny' ? isLooseCardNumber(digits) : isCardNumber(digits)
}

/** The separators between a group and the previous one. */
function jointOf(text: string, groups: readonly Group[], index: number): string {
  return text.slice(groups[index - 1]?.end, groups[index]?.start)
}

/** US social security number: areas 000, 666 and 9xx, group 00 and serial 0000 were never issued. */
function isSsn({ text, groups, digits, shape }: Candidate, hint: KeyHint): boolean {
  if (digits.length !== 9) return false
  const isHyphened = shape === '324' && jointOf(text, groups, 1) === '-' && jointOf(text, groups, 2) === '-'
  if (!isHyphened && hint !== 'ssn') return false
  return !/^(?:000|666|9)|^...00|0000$/.test(digits)
}

/** Turkish national id: the tenth digit checks the odd and even places, the eleventh the first ten. */
export function isTckn(digits: string): boolean {
  if (digits.startsWith('0')) return false
  const at = (index: number): number => digits.charCodeAt(index) - 48
  const odd = at(0) + at(2) + at(4) + at(6) + at(8)
  const even = at(1) + at(3) + at(5) + at(7)
  return (((odd * 7 - even) % 10) + 10) % 10 === at(9) && (odd + even + at(9)) % 10 === at(10)
}

/** Phone numbers recognisable by their format: international, North American and Turkish. */
function isPhone({ text, groups, digits, shape, hasPlus }: Candidate, hint: KeyHint): boolean {
  // E.164 allows 15 digits; eight are the shortest with a country code in use.
  if (hasPlus) return digits.length >= 8 && digits.length <= 15 && !digits.startsWith('0')
  if (hint === 'id') return false
  if (shape === '4322' || shape === '3322') return /^0?5\d{9}$/.test(digits)
  if (shape === '') return /^05\d{9}$/.test(digits)
  if (shape !== '334' && shape !== '1334') return false
  return jointOf(text, groups, groups.length - 2).trim() !== '' && /^1?[2-9]\d\d[2-9]\d{6}$/.test(digits)
}

const phoneText = /^[\d\s+().\-/x]+$/

function isPhoneUnderKey(text: string, hint: KeyHint, policy: PiiPolicy): boolean {
  if (hint !== 'phone' && policy !== 'deny') return false
  const trimmed = text.trim()
  // No phone number has more than forty characters.
  if (trimmed.length > 40 || !phoneText.test(trimmed)) return false
  const count = trimmed.replace(/\D/g, '').length
  return count >= (hint === 'phone' ? 7 : 9) && count <= 15
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57
}

/** Letter, digit or underscore. `NaN`, read beyond either end of a text, is none of them. */
function isWordUnit(unit: number): boolean {
  return isDigit(unit) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122) || unit === 95
}

/** An IBAN with the right length and check digits (ISO 13616, mod 97). */
export function findAccountNumber(text: string): boolean {
  let tried = 0
  for (let index = 0; index + 15 <= text.length; index += 1) {
    if (!isDigit(text.charCodeAt(index + 2)) || !isDigit(text.charCodeAt(index + 3))) continue
    if (isWordUnit(text.charCodeAt(index - 1))) continue
    const length = accountLengths.get(text.slice(index, index + 2).toUpperCase())
    if (length === undefined) continue
    tried += 1
    if (tried > accountsMax) return false
    const account = compactAccount(text, index, length)
    if (account !== undefined && isAccountValid(account)) return true
  }
  return false
}

/** Reads `length` letters and digits, ignoring single spaces or hyphens; the account must end there. */
function compactAccount(text: string, start: number, length: number): string | undefined {
  let account = ''
  let index = start
  while (account.length < length && index < text.length) {
    const unit = text.charCodeAt(index)
    if (isWordUnit(unit) && unit !== 95) account += text.charAt(index)
    else if (unit !== 32 && unit !== 45) return undefined
    index += 1
  }
  return account.length === length && !isWordUnit(text.charCodeAt(index)) ? account.toUpperCase() : undefined
}

function isAccountValid(account: string): boolean {
  const rotated = account.slice(4) + account.slice(0, 4)
  let remainder = 0
  for (const character of rotated) {
    const value = Number.parseInt(character, 36)
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
  }
  return remainder === 1
}
