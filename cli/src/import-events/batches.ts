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
  const { format, toCalls } = tools[tool]
  let batch: Batch = { calls: [], position: from, unreadable: 0 }
  let bytes = 0
  let position = 0
  for (const file of files) {
    for await (const { record, text } of readRecords(file, format)) {
      position += 1
      if (position <= from) continue
      const calls =
        record === null ? [] : toCalls(record, columns).map((call, index) => withId(call, text, index))
      const size = text.length + 200 * calls.length
      const isFull =
        batch.calls.length + calls.length > ingestLimits.batchEventsMax || bytes + size > batchBytesMax
      if (isFull && batch.calls.length > 0) {
        yield batch
        batch = { calls: [], position: batch.position, unreadable: 0 }
        bytes = 0
      }
      batch.calls.push(...calls)
      batch.position = position
      if (record === null) batch.unreadable += 1
      bytes += size
    }
  }
  if (batch.calls.length > 0 || batch.unreadable > 0) yield batch
}

/** The same record gets the same id, so that an import that is repeated counts once. */
function withId(call: Call, text: string, index: number): Call {
  if (typeof call.messageId === 'string' && call.messageId !== '') return call
  const hash = createHash('sha256').update(text).update(String(index)).digest('hex').slice(0, 32)
  return { ...call, messageId: `import:${hash}` }
}
