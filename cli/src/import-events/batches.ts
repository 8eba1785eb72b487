import { createHash } from 'node:crypto'
import { type Call, ingestLimits } from '@assay/contract'
import { type Columns, readRecords } from './records.ts'
import { type ToolName, tools } from './tools.ts'

/** Records of one call, and how many lie behind it in the files. */
export type Batch = {
  calls: Call[]
  /** Records of all files up to the end of this batch. */
  position: number
  /** Lines that are no record. */
  unreadable: number
}

/** Under the limit of a request, with space for its envelope. */
const batchBytesMax = 3 * 1024 * 1024

/** The calls of all files in order, in batches that fit into a request; `from` records are left out. */
export async function* readBatches(
  tool: ToolName,
  files: readonly string[],
  columns: Columns,
  from: number,
): AsyncGenerator<Batch> {
  let batch: Batch = { calls: [], position: from, unreadable: 0 }
  let bytes = 0
  for await (const { position, calls, size } of readCalls(tool, files, columns, from)) {
    for (const call of calls) {
      const callBytes = size / calls.length
      const isFull = batch.calls.length === ingestLimits.batchEventsMax || bytes + callBytes > batchBytesMax
      if (isFull && batch.calls.length > 0) {
        yield batch
        // Until its last call is in a batch, a record is not behind us.
        batch = { calls: [], position: batch.position, unreadable: 0 }
        bytes = 0
      }
      batch.calls.push(call)
      bytes += callBytes
    }
    if (calls.length === 0) batch.unreadable += 1
    batch.position = position
  }
  if (batch.position > from) yield batch
}

type ReadCalls = { position: number; calls: Call[]; size: number }

/** The calls of each record; none of what is no record, or larger than a request. */
async function* readCalls(
  tool: ToolName,
  files: readonly string[],
  columns: Columns,
  from: number,
): AsyncGenerator<ReadCalls> {
  const { format, toCalls } = tools[tool]
  let position = 0
  for (const file of files) {
    let place = 0
    for await (const { record, text } of readRecords(file, format)) {
      position += 1
      place += 1
      if (position <= from) continue
      const isRead = record !== null && text.length <= batchBytesMax
      const calls = isRead ? toCalls(record, columns) : []
      const named = calls.map((call, index) => withId(call, `${place} ${index} ${text}`))
      yield { position, calls: named, size: text.length + 200 * calls.length }
    }
  }
}

/**
 * The same record at the same place of a file gets the same id, so that an import that is repeated counts once, and two
 * equal rows count twice.
 */
function withId(call: Call, text: string): Call {
  if (typeof call.messageId === 'string' && call.messageId !== '') return call
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 32)
  return { ...call, messageId: `import:${hash}` }
}
