import { isRecord } from '@assay/contract'

/** Postgres holds every character but NUL, and no half of a surrogate pair. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '')
}

/**
 * JSON text that every store accepts. The value is cleaned, never its text: in JSON text an escape cannot be
 * distinguished from the same letters after an escaped backslash. The serialiser writes both kinds of
 * characters only as escapes, so a text without these letters needs no cleaning.
 */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value)
  return json.includes('\\u0000') || json.includes('\\ud') ? JSON.stringify(storableValue(value)) : json
}

function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(storableValue)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [storableText(key), storableValue(one)]),
  )
}
