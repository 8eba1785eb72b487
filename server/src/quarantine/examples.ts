import { describeValue, isRecord, type QuarantineExample } from '@assay/contract'
import type { SampleRow } from './store.ts'

/** Enough to see what is wrong. */
const propertiesMax = 3
const valuesMax = 3

/** The properties that keep events of one cause, with some of the values that were sent. */
export function examplesOf(samples: readonly SampleRow[]): QuarantineExample[] {
  const byProperty = new Map<string, Set<string>>()
  for (const { code, issues, properties } of samples) {
    const sent = read(properties)
    const known = read(issues)
    for (const issue of Array.isArray(known) ? known : []) {
      if (!isRecord(issue) || issue.code !== code || typeof issue.field !== 'string') continue
      // The name of the event is known already.
      if (issue.field === 'event') continue
      const property = issue.field.replaceAll(/\[\d+\]/g, '[]')
      const values = byProperty.get(property) ?? new Set()
      if (byProperty.size < propertiesMax || byProperty.has(property)) byProperty.set(property, values)
      const value = shownValue(issue.field, valueAt(sent, issue.field), issue)
      if (value !== null && values.size < valuesMax) values.add(value)
    }
  }
  return [...byProperty].map(([property, values]) => ({ property, values: [...values] }))
}

function read(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // The engine found none.
    return null
  }
}

/** A member of what was sent, by a path such as `items[0].price`; undefined if it is missing. */
function valueAt(sent: unknown, field: string): unknown {
  if (isRecord(sent) && Object.hasOwn(sent, field)) return sent[field]
  let value = sent
  for (const key of field.split(/[.[\]]+/).filter((part) => part !== '')) {
    const isMember = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    value = isMember ? new Map(Object.entries(value ?? {})).get(key) : undefined
  }
  return value
}

/** As it was sent, if that may be shown; null if it was not sent. */
function shownValue(field: string, value: unknown, issue: Readonly<Record<string, unknown>>): string | null {
  const described = typeof issue.actual === 'string' ? issue.actual : null
  if (issue.code === 'pii_detected') return described
  if (value === undefined) return described
  if (typeof value === 'object') return value === null ? 'null' : described
  const key = /([^.[\]]*)(?:\[\d+\])*$/.exec(field)?.[1] ?? field
  const text = describeValue(key, value)
  const isAsSent = typeof value === 'string' && (text === value || text.endsWith('…'))
  return isAsSent ? JSON.stringify(text) : text
}
