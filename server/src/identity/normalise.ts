import { domainToASCII } from 'node:url'
import { identityLimits } from '@assay/contract'
import type { Identifier } from './identifier.ts'
import { isJunk } from './junk.ts'

export type RefusalReason = 'empty' | 'too_long' | 'junk' | 'malformed' | 'unverified' | 'suppressed'
export type Normalised = { value: string } | { refused: RefusalReason }

/** Steps 1 and 2 of resolve: one spelling for one value, and none for what stands for nobody. */
export function normalise({ type, value }: Identifier): Normalised {
  const plain = value.trim().toWellFormed().normalize('NFC')
  if (plain === '') return { refused: 'empty' }
  if (plain.length > identityLimits.valueCharactersMax) return { refused: 'too_long' }
  if (isJunk(plain)) return { refused: 'junk' }
  // Nobody types these, and the stores do not hold all of them.
  if (/\p{Cc}/u.test(plain)) return { refused: 'malformed' }
  if (type === 'email') return emailOf(plain)
  return type === 'phone' ? phoneOf(plain) : { value: plain }
}

/** Case never matters in practice; dots and plus signs do, since only some providers ignore them. */
function emailOf(text: string): Normalised {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at).toLowerCase()
  const domain = domainToASCII(text.slice(at + 1))
  if (at < 1 || !domain.includes('.') || /\s/.test(local) || isJunk(local)) return { refused: 'malformed' }
  return { value: `${local}@${domain}` }
}

/** E.164: a plus sign, the country code and 15 digits at most. Without the country code nobody is meant for certain. */
function phoneOf(text: string): Normalised {
  const digits = text.replace(/[\s().\-/]/g, '').replace(/^00/, '+')
  return /^\+[1-9]\d{6,14}$/.test(digits) ? { value: digits } : { refused: 'malformed' }
}
