import { isRecord } from '@assay/contract'

/**
 * The same with every half of a surrogate pair replaced, in keys as well. Only an escape in JSON can bring one in, and
 * no store keeps it: Postgres refuses it in JSON, at the latest when it is read. What has none is answered as it is.
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
