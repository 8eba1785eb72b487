import { domainToASCII } from 'node:url'
import { identifierCharactersMax, normalIdentifier } from '@assay/contract'
import type { Identifier } from './identifier.ts'
import { isJunk } from './junk.ts'

type RefusalReason = 'empty' | 'too_long' | 'junk' | 'malformed' | 'unverified' | 'suppressed'
type Normalised = { value: string } | { refused: RefusalReason }

/** Steps 1 and 2 of resolve: one spelling for each value, and none for placeholders. */
export function normalise({ type, value }: Identifier): Normalised {
  const normal = normalIdentifier(value)
  if ('refused' in normal) return normal
  if (isJunk(normal.value)) return { refused: 'junk' }
  if (type === 'email') return emailOf(normal.value)
  return type === 'phone' ? phoneOf(normal.value) : normal
}

/** Case never matters in practice; dots and plus signs do, since only some providers ignore them. */
function emailOf(text: string): Normalised {
  const at = text.lastIndexOf('@')
  // A capital may have no composed form where its small letter has one: J with a caron.
  const local = text.slice(0, at).toLowerCase().normalize('NFC')
  const domain = domainToASCII(text.slice(at + 1))
  if (at < 1 || !domain.includes('.') || /\s/.test(local) || isJunk(local)) return { refused: 'malformed' }
  const value = `${local}@${domain}`
  return value.length > identifierCharactersMax ? { refused: 'too_long' } : { value }
}

/**
 * E.164: a plus sign, the country code and 15 digits at most. Without the country code a number is ambiguous.
 */
function phoneOf(text: string): Normalised {
  const digits = text.replace(/[\s().\-/]/g, '').replace(/^00/, '+')
  return /^\+[1-9]\d{6,14}$/.test(digits) ? { value: digits } : { refused: 'malformed' }
}
