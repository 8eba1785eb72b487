import { isRecord } from '@assay/contract'
import { misuse } from '../failure.ts'

/** One event of a file, or a line that is not an event. */
export type FoundEvent = {
  line: number
  /** Position in that line or document, if it contains several. */
  index: number | null
  endpoint: 'track' | 'ingest'
  input: unknown
  shared: { sentAt?: unknown; context?: unknown }
  /** Why it is not an event. */
  unreadable: string | null
}

/** A document is read into memory as a whole; a log with one event per line may have any length. */
const documentCharactersMax = 64 * 1024 * 1024

/**
 * Reads events line by line if the first line is a complete JSON value, and as one JSON document otherwise. A
 * value may be an event, a list of events, or a request body of /v1/batch or /api/ingest.
 */
export async function* readEvents(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<FoundEvent> {
  const lines = linesOf(chunks)
  const head: string[] = []
  let number = 0
  for (;;) {
    const next = await lines.next()
    if (next.done === true) return
    number += 1
    const text = next.value.replace(/^\uFEFF/, '')
    if (text.trim() === '') continue
    const value = parse(text)
    if (value.ok) {
      yield* eventsIn(value.value, number)
      yield* restByLine(lines, number)
      return
    }
    head.push(text)
    break
  }
  yield* readDocument(head, lines, number)
}

async function* readDocument(
  head: string[],
  lines: AsyncGenerator<string>,
  firstLine: number,
): AsyncGenerator<FoundEvent> {
  let characters = 0
  for await (const text of lines) {
    head.push(text)
    characters += text.length
    if (characters > documentCharactersMax)
      throw misuse(
        'This JSON document is larger than 64 MB.',
        'Write one event per line (NDJSON), which has no limit.',
      )
  }
  const whole = parse(head.join('\n'))
  if (whole.ok) {
    yield* eventsIn(whole.value, firstLine)
    return
  }
  for (const [at, text] of head.entries()) if (text.trim() !== '') yield* eventsOfLine(text, firstLine + at)
}

async function* restByLine(lines: AsyncGenerator<string>, before: number): AsyncGenerator<FoundEvent> {
  let number = before
  for await (const text of lines) {
    number += 1
    if (text.trim() !== '') yield* eventsOfLine(text, number)
  }
}

function* eventsOfLine(text: string, line: number): Generator<FoundEvent> {
  const value = parse(text)
  if (value.ok) yield* eventsIn(value.value, line)
  else yield { ...event(undefined, line, null), unreadable: value.reason }
}

function* eventsIn(value: unknown, line: number): Generator<FoundEvent> {
  if (Array.isArray(value)) {
    for (const [index, input] of value.entries()) yield event(input, line, index)
    return
  }
  if (isRecord(value) && Array.isArray(value.batch)) {
    const sentAt = value.sent_at ?? value.sentAt
    const shared = {
      ...(sentAt !== undefined && { sentAt }),
      ...(value.context !== undefined && { context: value.context }),
    }
    for (const [index, input] of value.batch.entries()) yield { ...event(input, line, index), shared }
    return
  }
  if (isRecord(value) && Array.isArray(value.events) && 'siteId' in value) {
    for (const [index, input] of value.events.entries())
      yield { ...event(input, line, index), endpoint: 'ingest' }
    return
  }
  yield event(value, line, null)
}

function event(input: unknown, line: number, index: number | null): FoundEvent {
  return { line, index, endpoint: 'track', input, shared: {}, unreadable: null }
}

type Parsed = { ok: true; value: unknown } | { ok: false; reason: string }

function parse(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

async function* linesOf(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const parts = (
      rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
    ).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) yield part.replace(/\r$/, '')
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}
