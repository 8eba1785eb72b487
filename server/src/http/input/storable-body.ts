import { isRecord, Problem } from '@assay/contract'

/**
 * The body of a control call with texts that every store accepts: NUL is refused, a lone surrogate replaced.
 */
export function storableBody(body: unknown): unknown {
  const place = placeOfNul(body)
  if (place === null) return wellFormed(body)
  const message = 'holds a NUL character, which cannot be stored'
  throw new Problem('invalid-parameter', {
    detail: `Correct the body: ${place || 'body'} ${message}.`,
    errors: [{ field: place, message }],
  })
}

const placeCharactersMax = 200

/** The path of a NUL, also in keys; null if there is none. */
function placeOfNul(value: unknown, place = ''): string | null {
  if (typeof value === 'string') return value.includes('\0') ? place.slice(0, placeCharactersMax) : null
  if (!Array.isArray(value) && !isRecord(value)) return null
  for (const [key, member] of Object.entries(value)) {
    const found = key.includes('\0') ? place : placeOfNul(member, place === '' ? key : `${place}.${key}`)
    if (found !== null) return found.slice(0, placeCharactersMax)
  }
  return null
}

/**
 * Replaces every lone surrogate, also in keys. Only an escape in JSON can contain one, and no store keeps it:
 * Postgres refuses it in JSON, at the latest when it is read. A value without one is returned unchanged.
 */
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) {
    const items = value.map(wellFormed)
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isRecord(value)) return value
  let isSame = true
  const members = Object.entries(value).map(([key, member]) => {
    const entry = [key.toWellFormed(), wellFormed(member)] as const
    isSame &&= entry[0] === key && entry[1] === member
    return entry
  })
  return isSame ? value : Object.fromEntries(members)
}
