import { TupleParam } from '@clickhouse/client'

/** A value that is in the "escaped" format already, as requests bring it. */
export class WrittenParameter {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * A value of `query_params` as ClickHouse reads it for `{name:Type}`: the text of ClickHouse's "escaped" format,
 * so that the type decides how it is read and nothing in it can end the literal.
 */
export function parameterText(value: unknown): string {
  if (value === null || value === undefined) return '\\N'
  if (typeof value === 'string') return escapeText(value)
  if (value instanceof WrittenParameter) return value.text
  if (typeof value === 'boolean') return value ? '1' : '0'
  return nestedText(value)
}

/** Inside an array, tuple or map strings stand in quotes and null is a word. */
function nestedText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'string') return quotedText(value)
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (typeof value === 'number') return numberText(value)
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Date) return timeText(value)
  if (Array.isArray(value)) return `[${value.map(nestedText).join(',')}]`
  if (value instanceof TupleParam) return `(${value.values.map(nestedText).join(',')})`
  if (value instanceof Map) return mapText([...value.entries()])
  if (typeof value === 'object') return mapText(Object.entries(value))
  throw new Error(`A query parameter cannot be a ${typeof value}`)
}

function mapText(entries: [unknown, unknown][]): string {
  return `{${entries.map(([key, value]) => `${nestedText(key)}:${nestedText(value)}`).join(',')}}`
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (value === Number.POSITIVE_INFINITY) return '+inf'
  if (value === Number.NEGATIVE_INFINITY) return '-inf'
  return String(value)
}

/** Unix seconds, which ClickHouse reads without regard to a time zone; ten digits, or it would read a year. */
function timeText(value: Date): string {
  const seconds = String(Math.floor(value.getTime() / 1000)).padStart(10, '0')
  const milliseconds = value.getUTCMilliseconds()
  return milliseconds === 0 ? seconds : `${seconds}.${String(milliseconds).padStart(3, '0')}`
}

const escapes: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  "'": "\\'",
  '\\': '\\\\',
}

/** A string in quotes, as it stands inside an array or as a literal of SQL. */
export const quotedText = (text: string): string => `'${escapeText(text)}'`

function escapeText(text: string): string {
  return text.replace(/[\0\t\n\r'\\]/g, (character) => escapes[character] ?? character)
}
