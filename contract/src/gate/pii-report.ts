import type { Findings } from './issues.ts'
import { report } from './issues.ts'
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

/** Says what kind of thing was found and how long it is, never the thing itself. */
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

/** Enough for a sender to recognise the value; more would only swell the answer. */
const shownCharactersMax = 60

/** A value as it may stand in an answer: short, and masked if it could be a secret by its form or its name. */
export function describeValue(key: string, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return String(value)
  if (findPersonalData(key, value, 'deny') !== undefined) return `masked (${String(value).length} characters)`
  const text = String(value)
  return text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text
}
