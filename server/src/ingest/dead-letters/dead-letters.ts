import { hash } from 'node:crypto'
import { isRecord } from '@assay/contract'
import type { Clock } from '../../platform/clock.ts'
import { dayMs } from '../../platform/units.ts'
import type { Control } from '../../store/control.ts'
import { storableText } from '../../store/storable.ts'
import { type LoadStep, stepsAfterStorage } from '../loader/segment-load.ts'
import type { RefusedLine } from '../loader/segment-split.ts'
import { type Segment, segmentOrigin } from '../wal/segment.ts'
import type { DeadLetterFile, FiledLetter } from './file.ts'
import {
  countWaiting,
  deleteOldDecided,
  deleteOthersOfSegment,
  insertDeadLetter,
  isWorkspaceDeleted,
  type NewDeadLetter,
  probeControl,
  selectUnloadedLines,
} from './store.ts'

/** Lines of the log that the stores refuse, kept until someone decides. */
export type DeadLetters = {
  /** All refused lines of a segment; resolves when they are durable. */
  setAside: (segment: Pick<Segment, 'name'>, lines: readonly RefusedLine[]) => Promise<void>
  /** Moves letters from the file into the table, as far as there is space now. */
  refile: () => Promise<void>
  forgetOld: () => Promise<void>
  /** Acknowledged lines that are not loaded. */
  lines: () => AsyncGenerator<string>
  /** Number of waiting letters in table and file, at the last count. */
  readonly waiting: number
  count: () => Promise<number>
  file: DeadLetterFile
}

type DeadLettersOptions = {
  control: Control
  /** Takes what the table does not. */
  file: DeadLetterFile
  nodeId: string
  now: Clock
  /** Called with the reason when a letter went to the file although the table had space. */
  onFailure: (error: unknown) => void
}

/** Per workspace. An hour of a sender whose every event is refused is less; the file takes the rest. */
const waitingBounds = { letters: 10_000, bytes: 64 * 1024 ** 2 }
/**
 * Longer lines go to the file: an event may take 32 KB, and a line with all that the product adds far less
 * than this.
 */
const lineBytesMax = 1024 ** 2
/** Beyond it, a segment with refused lines stays in the log, and the log fills: nothing is ever lost. */
export const fileBytesMax = 256 * 1024 ** 2
const decidedDays = 30
const linesPerRead = 200
const textLengthMax = 512

export async function openDeadLetters(options: DeadLettersOptions): Promise<DeadLetters> {
  const { file, now, nodeId, control } = options
  let waiting = (await countWaiting(control)) + file.letters

  async function count(): Promise<number> {
    waiting = (await countWaiting(control)) + file.letters
    return waiting
  }

  async function setAsideLine(letter: NewDeadLetter): Promise<void> {
    // Data of a deleted workspace is not kept anywhere, so not here either.
    if (letter.workspace_id !== '' && (await isWorkspaceDeleted(control, letter.workspace_id))) return
    if (!(await isInTable(options, letter))) await file.append(filed(letter))
  }

  return {
    async setAside({ name }, lines) {
      const origin = segmentOrigin(name)
      const letters = lettersOf(origin, lines, nodeId, now())
      for (const letter of letters) await setAsideLine(letter)
      const ids = letters.map(({ id }) => id)
      await deleteOthersOfSegment(control, origin, ids)
      await count()
    },
    async refile() {
      if (file.letters === 0) return
      const moved = new Set<string>()
      for (const letter of await file.read()) {
        const failedMs = Date.parse(letter.failed_at) || now()
        const again = letterOf(letter.id, letter.segment, refusedIn(letter), nodeId, failedMs)
        const isGone = again.workspace_id !== '' && (await isWorkspaceDeleted(control, again.workspace_id))
        if (isGone || (await isInTable(options, again))) moved.add(letter.id)
      }
      if (moved.size > 0) await file.keep(({ id }) => !moved.has(id))
      await count()
    },
    forgetOld: () => deleteOldDecided(control, new Date(now() - decidedDays * dayMs)),
    async *lines() {
      for (const { line } of await file.read()) yield Buffer.from(line, 'base64').toString('utf8')
      for (let after = '', length = linesPerRead; length === linesPerRead; ) {
        const rows = await selectUnloadedLines(control, after, linesPerRead)
        for (const { line } of rows) yield Buffer.from(line).toString('utf8')
        length = rows.length
        after = rows.at(-1)?.id ?? after
      }
    },
    get waiting() {
      return waiting
    },
    count,
    file,
  }
}

/** False without space, without the workspace, or if a healthy store refuses even this. */
async function isInTable(
  { control, nodeId, onFailure }: DeadLettersOptions,
  letter: NewDeadLetter,
): Promise<boolean> {
  if (letter.workspace_id === '' || letter.line.length > lineBytesMax) return false
  try {
    return await insertDeadLetter(control, letter, waitingBounds)
  } catch (error) {
    await probeControl(control, nodeId)
    onFailure(error)
    return false
  }
}

/** Ends a line that was set aside before; a sender cannot write this. */
const letterMark = /,"letter":"(dl_[0-9a-f]{32})"(?:,"is_stored":[01])?\}$/

/** Marks a loaded line with its letter, so that its verdict is not counted a second time. */
export function marked(line: string, id: string, isStored: boolean): string {
  const plain = line.replace(letterMark, '}')
  return `${plain.slice(0, -1)},"letter":"${id}","is_stored":${isStored ? 1 : 0}}`
}

/** The same line of the same segment always has the same id; equal lines are numbered. */
function idOf(origin: string, bytes: Buffer, occurrence: number): string {
  const known = letterMark.exec(bytes.toString('utf8'))?.[1]
  const place = `${origin}:${occurrence}:${hash('sha256', bytes, 'hex')}`
  return known ?? `dl_${hash('sha256', place, 'hex').slice(0, 32)}`
}

function lettersOf(
  origin: string,
  lines: readonly RefusedLine[],
  nodeId: string,
  failedMs: number,
): NewDeadLetter[] {
  const counts = new Map<string, number>()
  return lines.map((line) => {
    const key = line.bytes.toString('latin1')
    const occurrence = counts.get(key) ?? 0
    counts.set(key, occurrence + 1)
    return letterOf(idOf(origin, line.bytes, occurrence), origin, line, nodeId, failedMs)
  })
}

function letterOf(
  id: string,
  segment: string,
  refused: RefusedLine,
  nodeId: string,
  failedMs: number,
): NewDeadLetter {
  const text = refused.bytes.toString('utf8')
  const line = readLine(text)
  const field = (value: unknown) => (typeof value === 'string' ? storedText(value) : '')
  const receivedMs = Number.isSafeInteger(line.received_at) ? Number(line.received_at) : Number.NaN
  const receivedAt = new Date(receivedMs)
  return {
    id,
    workspace_id: field(line.workspace_id),
    site_id: field(line.site_id),
    event_id: field(line.event_id),
    name: field(line.name),
    person_id: field(line.person_id),
    user_id: field(line.user_id),
    anonymous_id: field(line.anonymous_id),
    node_id: nodeId,
    segment,
    line: refused.bytes,
    step: refused.step,
    reason: field(reasonOf(refused.error)),
    is_stored: stepsAfterStorage.has(refused.step),
    received_at: Number.isNaN(receivedAt.getTime()) ? null : receivedAt,
    failed_at: new Date(failedMs),
  }
}

function storedText(text: string): string {
  return storableText(text).slice(0, textLengthMax).toWellFormed()
}

/** An event id in the form that letters are found by. */
export const storedEventId = storedText

/** Removes the operator's paths and the engine's internal state from an error message. */
const engineWords = / \(in file\/uri [^)]*\)|: While executing .*$/gs

function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return reason.replaceAll(engineWords, '')
}

function filed({ line, failed_at, ...letter }: NewDeadLetter): FiledLetter {
  const { id, segment, workspace_id, step, reason, is_stored } = letter
  const place = { id, segment, workspace_id, step, reason, is_stored }
  return { ...place, failed_at: failed_at.toISOString(), line: Buffer.from(line).toString('base64') }
}

function refusedIn({ line, step, reason }: FiledLetter): RefusedLine {
  // boundary: the file is this product's own.
  return { index: 0, bytes: Buffer.from(line, 'base64'), step: step as LoadStep, error: reason }
}

/** The readable parts of a line; null if it was not written by the log. */
export function readLine(text: string): Readonly<Record<string, unknown>> {
  try {
    const line: unknown = JSON.parse(text)
    return isRecord(line) ? line : {}
  } catch {
    return startOf(text)
  }
}

/** Every line begins like this; see row.ts. */
const lineStart = /^\{"workspace_id":"([A-Za-z0-9_]{1,64})","site_id":"([A-Za-z0-9_]{1,64})"/

/** A line that is not valid JSON any more still names its workspace if its beginning is intact. */
function startOf(text: string): Readonly<Record<string, unknown>> {
  const [, workspace_id, site_id] = lineStart.exec(text) ?? []
  return workspace_id === undefined ? {} : { workspace_id, site_id }
}
