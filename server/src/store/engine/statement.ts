import { significantWords, type Word } from '../sql-words.ts'
import { quotedText } from './parameters.ts'

// Settings of ClickHouse's HTTP handler. The engine has no HTTP and refuses some of them as unknown.
const httpOnly: ReadonlySet<string> = new Set([
  'wait_end_of_query',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
  'http_response_buffer_size',
  'http_response_headers',
  'http_write_exception_in_output_format',
  'http_zlib_compression_level',
  'http_native_compression_disable_checksumming_on_decompress',
  'enable_http_compression',
  'cancel_http_readonly_queries_on_client_close',
])

const settingName = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Settings as the client gives them: without the HTTP ones, the default output format apart. */
export function splitSettings(given: Readonly<Record<string, unknown>> | undefined): {
  settings: Record<string, string>
  format: string
} {
  const settings: Record<string, string> = {}
  // What a ClickHouse server answers in when the statement names no format.
  let format = 'TabSeparated'
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === undefined || httpOnly.has(name)) continue
    if (name === 'default_format') format = String(value)
    else settings[requireName(name)] = typeof value === 'boolean' ? String(Number(value)) : String(value)
  }
  return { settings, format }
}

/** Also of a parameter: it is written into a statement. */
export function requireName(name: string): string {
  if (!settingName.test(name))
    throw new Error(`${JSON.stringify(name)} cannot be the name of a setting or a parameter`)
  return name
}

/**
 * The same INSERT, reading its rows from a file instead of from behind its text:
 * `INSERT … FORMAT X` becomes `INSERT … FROM INFILE … FORMAT X`, and in `INSERT … SELECT … FROM input('…') FORMAT X`
 * the call of `input` becomes one of `file`. The engine reads inline rows for neither of the two from a C string
 * that contains a NUL, and silently inserts nothing for `input`.
 */
export function readRowsFrom(file: string, sql: string): string {
  const words = significantWords(sql)
  const format = words.findLast((word) => word.depth === 0 && word.text === 'format')
  if (!format) throw new Error('An INSERT with rows must end in FORMAT and the name of a format')
  const formatName = sql.slice(format.end).trim().replace(/;$/, '')
  const input = inputCall(sql, words)
  if (input) {
    const open = sql.indexOf('(', input.end)
    const call = `file(${quotedText(file)}, ${quotedText(formatName)}, `
    return `${sql.slice(0, input.start)}${call}${sql.slice(open + 1, format.start)}`
  }
  const settings = words.find((word) => word.depth === 0 && word.text === 'settings')
  const place = Math.min(format.start, settings?.start ?? format.start)
  return `${sql.slice(0, place)}FROM INFILE ${quotedText(file)} COMPRESSION 'none' ${sql.slice(place)}`
}

function inputCall(sql: string, words: readonly Word[]): Word | undefined {
  return words.find((word) => word.text === 'input' && /^\s*\(/.test(sql.slice(word.end)))
}
