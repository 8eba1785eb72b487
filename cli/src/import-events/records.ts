import { createReadStream, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { PassThrough, pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { isRecord } from '@assay/contract'
import { parse } from 'csv-parse'
import { CommandFailure, misuse } from '../failure.ts'

export type Row = Readonly<Record<string, unknown>>
/** Which column of a CSV file is what. */
export type Columns = Readonly<Record<string, string>>

/** One line or row of a file. What is no record is counted and left out. */
type FoundRecord = { record: Row | null; text: string }

/** A list in one file has to fit into memory; lines do not. */
const listBytesMax = 256 * 1024 * 1024

/** The records of a file, one after the other: lines of JSON, a list of JSON, or CSV with a header; also as gzip. */
export async function* readRecords(file: string, format: 'json' | 'csv'): AsyncGenerator<FoundRecord> {
  const bytes = open(file)
  try {
    yield* format === 'csv' ? rowsOf(bytes) : linesOf(bytes, file)
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw misuse(`${file} cannot be read: ${reason}.`, 'Is it complete, and what --from says?')
  }
}

async function* linesOf(bytes: Readable, file: string): AsyncGenerator<FoundRecord> {
  let isFirst = true
  let list = ''
  let isList = false
  for await (const line of createInterface({ input: bytes, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (isFirst && line.trim() === '') continue
    if (isFirst) isList = line.trimStart().startsWith('[')
    isFirst = false
    if (!isList) {
      if (line.trim() !== '') yield found(line)
      continue
    }
    list += `${line}\n`
    if (list.length > listBytesMax) {
      throw misuse(`${file} is one list that is too long.`, "Write its records as lines first: jq -c '.[]'")
    }
  }
  if (isList) for (const record of listIn(list)) yield { record, text: JSON.stringify(record) }
}

function open(file: string): Readable {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw misuse(`${file} is no file.`)
  const input = createReadStream(file)
  if (!file.endsWith('.gz')) return input
  const output = new PassThrough()
  pipeline(input, createGunzip(), output, () => {})
  return output
}

function found(text: string): FoundRecord {
  try {
    const record: unknown = JSON.parse(text)
    return { record: isRecord(record) ? record : null, text }
  } catch {
    return { record: null, text }
  }
}

function listIn(text: string): (Row | null)[] {
  const list: unknown = JSON.parse(text)
  return Array.isArray(list) ? list.map((one: unknown) => (isRecord(one) ? one : null)) : []
}

async function* rowsOf(bytes: Readable): AsyncGenerator<FoundRecord> {
  const rows = bytes.pipe(
    parse({
      columns: true,
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: 1024 * 1024,
    }),
  )
  bytes.once('error', (error) => rows.destroy(error))
  for await (const row of rows) {
    const record: unknown = row
    yield { record: isRecord(record) ? record : null, text: JSON.stringify(record) }
  }
}
