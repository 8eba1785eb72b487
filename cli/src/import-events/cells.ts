import type { Call } from '@assay/contract'

/** Without what is empty: a cell without a value is an empty text, or the word for none. */
export function withoutEmpty(members: Readonly<Record<string, unknown>>): Call {
  const isEmpty = (value: unknown) => value === undefined || value === null || value === '' || value === '\\N'
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)))
}

/** `2026-01-31 12:00:00` has no zone, and is of UTC in these exports. */
export function timeInUtc(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (/^\d{10}(?:\d{3})?$/.test(value)) return Number(value)
  const parts = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?$/.exec(value)
  if (parts === null) return value
  const [clock = '00:00:00', fraction] = (parts[2] ?? '00:00:00').split('.')
  const seconds = clock.length === 5 ? `${clock}:00` : clock
  return `${parts[1]}T${seconds}${fraction === undefined ? '' : `.${fraction.slice(0, 3)}`}Z`
}

/** Two columns of lists, `['plan']` and `['pro']`, as members. */
export function bothLists(keys: unknown, values: unknown): Call {
  const [names, texts] = [listIn(keys), listIn(values)]
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']))
}

/** As ClickHouse writes a list of texts into CSV. */
function listIn(value: unknown): string[] {
  if (typeof value !== 'string' || !value.startsWith('[')) return []
  return [...value.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g)].map((match) =>
    (match[1] ?? match[2] ?? '').replace(/\\(.)/g, '$1'),
  )
}

/** Where a visitor was, as a part of the context; nothing without a country. */
export function located(country: unknown, region: unknown, city: unknown): Call {
  const location = withoutEmpty({ country, region, city })
  return location.country === undefined ? {} : { location }
}
