import type { PiiKind, PiiPolicy } from './pii.ts'
import { accountLengths } from './pii-accounts.ts'
import { isCardNumber, isLooseCardNumber, publishedTestCards } from './pii-cards.ts'
import type { KeyHint } from './pii-keys.ts'

/** Digits that stand together, and what stands around them. */
type Group = {
  digits: string
  /** What joins it to the group before; empty where nothing does. */
  joint: string
  /** A letter or underscore touches it, so that it is a part of a longer word. */
  isGluedLeft: boolean
  isGluedRight: boolean
  hasPlus: boolean
}

/** No form we look for has more parts; the rest of a longer chain is looked at from its own beginning. */
const windowGroupsMax = 6

/** Looks for card, national id and phone in the groups of digits of a text. */
export function findNumber(text: string, hint: KeyHint, policy: PiiPolicy): PiiKind | undefined {
  const groups = groupsOf(text)
  for (let start = 0; start < groups.length; start += 1) {
    const window: Group[] = []
    for (let end = start; end < Math.min(groups.length, start + windowGroupsMax); end += 1) {
      const group = groups[end]
      if (group === undefined || (end > start && (group.joint === '' || group.joint.length > 2))) break
      window.push(group)
      if (window[0]?.isGluedLeft === true) break
      if (group.isGluedRight) continue
      const kind = kindOf(window, hint, policy)
      if (kind !== undefined) return kind
    }
  }
  return policy !== 'identity' && isPhoneUnderKey(text, hint, policy) ? 'phone' : undefined
}

function kindOf(window: readonly Group[], hint: KeyHint, policy: PiiPolicy): PiiKind | undefined {
  const digits = window.map((group) => group.digits).join('')
  if (digits.length < 7 || digits.length > 19) return undefined
  if (isCard(window, digits, hint, policy)) return 'card'
  if (isSsn(window, digits, hint)) return 'ssn'
  if (digits.length === 11 && (hint === 'tckn' || policy === 'deny') && isTckn(digits)) return 'tckn'
  if (policy !== 'identity' && isPhone(window, digits, hint)) return 'phone'
  return undefined
}

const cardShapes: ReadonlySet<string> = new Set(['4444', '465', '464', '44443'])

function isCard(window: readonly Group[], digits: string, hint: KeyHint, policy: PiiPolicy): boolean {
  const isLoose = hint === 'card' || policy === 'deny'
  if (window.length === 1) {
    if (hint === 'id' && policy !== 'deny') return publishedTestCards.has(digits)
    return isLoose ? isLooseCardNumber(digits) : isCardNumber(digits)
  }
  const shape = window.map((group) => group.digits.length).join('')
  const isEvenlyJoined = window.every(
    (group, index) => index === 0 || group.joint === ' ' || group.joint === '-',
  )
  return isEvenlyJoined && cardShapes.has(shape) && isLooseCardNumber(digits)
}

/** US social security number: areas 000, 666 and 9xx, group 00 and serial 0000 were never given out. */
function isSsn(window: readonly Group[], digits: string, hint: KeyHint): boolean {
  if (digits.length !== 9) return false
  const isWritten = window.length === 3 && window.map((group) => group.digits.length).join('') === '324'
  const isHyphened = isWritten && window[1]?.joint === '-' && window[2]?.joint === '-'
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

/** Phone numbers that their writing gives away: international, North American and Turkish. */
function isPhone(window: readonly Group[], digits: string, hint: KeyHint): boolean {
  const [first, second] = window
  if (first === undefined) return false
  // E.164 allows 15 digits; eight are the shortest with a country code in use.
  if (first.hasPlus) return digits.length >= 8 && digits.length <= 15 && !digits.startsWith('0')
  if (hint === 'id') return false
  const shape = window.map((group) => group.digits.length).join('')
  const isTurkish = /^0?5\d{9}$/.test(digits) && (shape === '4322' || shape === '3322' || shape === '11')
  if (isTurkish) return shape !== '11' || digits.startsWith('05')
  if (shape !== '334' && shape !== '1334') return false
  const joint = (shape === '334' ? second : window[2])?.joint ?? ''
  return joint.trim() !== '' && /^1?[2-9]\d\d[2-9]\d{6}$/.test(digits)
}

const phoneText = /^[\d\s+().\-/x]+$/

function isPhoneUnderKey(text: string, hint: KeyHint, policy: PiiPolicy): boolean {
  if (hint !== 'phone' && policy !== 'deny') return false
  const trimmed = text.trim()
  // Nobody writes a phone number with more than forty characters.
  if (trimmed.length > 40 || !phoneText.test(trimmed)) return false
  const count = trimmed.replace(/\D/g, '').length
  return count >= (hint === 'phone' ? 7 : 9) && count <= 15
}

function groupsOf(text: string): Group[] {
  const groups: Group[] = []
  let joint = ''
  let isChained = false
  for (let index = 0; index < text.length; ) {
    const unit = text.charCodeAt(index)
    if (!isDigit(unit)) {
      joint += text.charAt(index)
      isChained &&= joint.length <= 2 && ' -.()/\u00a0'.includes(text.charAt(index))
      index += 1
      if (joint.length > 8) joint = joint.slice(-4)
      continue
    }
    let end = index + 1
    while (end < text.length && isDigit(text.charCodeAt(end))) end += 1
    const before = joint.at(-1) ?? ''
    const plus = joint.replace(/[( ]$/, '')
    groups.push({
      digits: text.slice(index, end),
      joint: isChained ? joint : '',
      isGluedLeft: isWordUnit(text.charCodeAt(index - 1)) || (before === '.' && !isChained && index > 1),
      isGluedRight: end < text.length && isWordUnit(text.charCodeAt(end)),
      hasPlus: plus.endsWith('+') && !isWordUnit(plus.charCodeAt(plus.length - 2)),
    })
    joint = ''
    isChained = true
    index = end
  }
  return groups
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57
}

/** Letter, digit or underscore. `NaN`, the unit beyond either end of a text, is none. */
function isWordUnit(unit: number): boolean {
  return isDigit(unit) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122) || unit === 95
}

/** An IBAN with its right length and check digits (ISO 13616, mod 97). */
export function findAccountNumber(text: string): boolean {
  for (let index = 0; index + 15 <= text.length; index += 1) {
    if (!isDigit(text.charCodeAt(index + 2)) || !isDigit(text.charCodeAt(index + 3))) continue
    if (isWordUnit(text.charCodeAt(index - 1))) continue
    const length = accountLengths.get(text.slice(index, index + 2).toUpperCase())
    if (length === undefined) continue
    const account = compactAccount(text, index, length)
    if (account !== undefined && isAccountValid(account)) return true
  }
  return false
}

/** Reads `length` letters and digits, over single spaces or hyphens; the account must end there. */
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
