import { printedText } from '../../printed-text.ts'
import type { Findings } from '../issues.ts'
import { report } from '../issues.ts'
import { findPersonalData } from './pii.ts'
import type { PiiKind } from './pii-policy.ts'

const kindNames: Readonly<Record<PiiKind, string>> = {
  card: 'card number',
  secret: 'password, key or token',
  iban: 'bank account number',
  email: 'e-mail address',
  phone: 'phone number',
  ssn: 'social security number',
  tckn: 'national id number',
  ip: 'IP address',
}

/** Reports the kind and length of what was found, never the value itself. */
export function reportPersonalData(
  findings: Findings,
  field: string,
  kind: PiiKind,
  value: string | number,
): void {
  report(findings, {
    code: 'pii_detected',
    field,
    message: `Do not send a ${kindNames[kind]} in ${field}; remove it, or mark the property pii: allow in the contract.`,
    expected: `no ${kindNames[kind]}`,
    actual: `${kindNames[kind]} (${String(value).length} characters, masked)`,
  })
}

/** Enough for a sender to recognise the value. */
const shownCharactersMax = 60

/** A value as it may be shown in an answer: short, and masked if its format or name suggests a secret. */
export function describeValue(key: string, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return printedText(value)
  if (findPersonalData(key, value, 'deny') !== undefined) return `masked (${String(value).length} characters)`
  const text = String(value)
  return text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text
}
