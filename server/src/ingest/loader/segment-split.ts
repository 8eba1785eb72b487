import { rm, writeFile } from 'node:fs/promises'
import { isRecord } from '@assay/contract'
import { partSuffix } from '../wal/closed-segments.ts'
import { readLineBytes, type Segment, segmentOrigin } from '../wal/segment.ts'
import {
  LoadFailure,
  type LoadOptions,
  type LoadStep,
  loadRows,
  step,
  stepsAfterStorage,
} from './segment-load.ts'
import { clearStaging, requireStaged } from './staged-store.ts'
import { type CountedLine, insertVerdicts, stageCounts } from './verdict-store.ts'

/** A line that the stores refuse, and at which step. */
export type RefusedLine = { index: number; bytes: Buffer; step: LoadStep; error: unknown }

export type SplitOptions = LoadOptions & {
  /** Rejects when a failure says nothing about the data: a store is unavailable, or cannot work at all. */
  requireRefusal: (failure: Error) => Promise<void>
  /** Stores these lines durably. They are all refused lines of this segment. */
  setAside: (segment: Segment, lines: readonly RefusedLine[]) => Promise<void>
  /** Aborted when the product stops: the segment is split again at the next start. */
  signal: AbortSignal
}

/** A line is refused after this many failures in a row with healthy stores. */
const lineTries = 2
/** Part loads per segment, some minutes' worth; beyond it, what is refused together is set aside together. */
const partLoadsMax = 4_000
/** Few enough for one statement. */
const countsPerStatement = 2_000

type Line = { index: number; bytes: Buffer; counted: CountedLine }

/**
 * Loads a segment that is not accepted as a whole: halves it, and halves what is refused, until the refused
 * lines are found. These are set aside; all others load, in their order.
 *
 * After a crash the segment is still there and tried again: every part checks which rows exist already, lines
 * are set aside under ids that depend on segment and position, and verdicts are counted by the origin of the
 * segment.
 */
export async function loadInParts(options: SplitOptions, segment: Segment): Promise<number> {
  const split = new Split(options, segment)
  const { good, refused } = await split.run()
  await options.setAside(segment, refused)
  await countVerdicts(options, segment, good)
  return refused.length
}

class Split {
  readonly #options: SplitOptions
  readonly #segment: Segment
  readonly #good: CountedLine[] = []
  readonly #refused: RefusedLine[] = []
  #loads = 0

  constructor(options: SplitOptions, segment: Segment) {
    this.#options = options
    this.#segment = segment
  }

  async run(): Promise<{ good: CountedLine[]; refused: RefusedLine[] }> {
    const lines: Line[] = []
    for (const [index, bytes] of (await readLineBytes(this.#segment)).entries()) {
      try {
        lines.push({ index, bytes, counted: readCounted(bytes) })
      } catch (error) {
        this.#refused.push({ index, bytes, step: 'read', error })
      }
    }
    try {
      await this.#load(lines)
    } finally {
      await rm(this.#partPath, { force: true })
    }
    return { good: this.#good, refused: this.#refused }
  }

  async #load(lines: readonly Line[]): Promise<void> {
    if (lines.length === 0) return
    const failure = await this.#failureOf(lines)
    if (failure === null) return this.#keep(lines)
    if (lines.length === 1 || this.#loads >= partLoadsMax) return this.#refuse(lines, failure)
    const middle = Math.ceil(lines.length / 2)
    await this.#load(lines.slice(0, middle))
    await this.#load(lines.slice(middle))
  }

  #keep(lines: readonly Line[]): void {
    for (const { counted } of lines) this.#good.push(counted)
  }

  #refuse(lines: readonly Line[], { step: at, cause }: LoadFailure): void {
    for (const { index, bytes, counted } of lines) {
      this.#refused.push({ index, bytes, step: at, error: cause })
      // Its event is stored, so its verdict is counted now and not when the rest is repaired.
      if (stepsAfterStorage.has(at)) this.#good.push(counted)
    }
  }

  /** Null when the lines are loaded. Rejects when the failure says nothing about them. */
  async #failureOf(lines: readonly Line[]): Promise<LoadFailure | null> {
    for (let tries = lines.length === 1 ? lineTries : 1; ; tries -= 1) {
      this.#options.signal.throwIfAborted()
      this.#loads += 1
      try {
        await this.#loadPart(lines)
        return null
      } catch (error) {
        if (!(error instanceof LoadFailure)) throw error
        if (tries > 1) continue
        // Several lines are halved, whatever the reason; a single line is decided here.
        if (lines.length === 1 || this.#loads >= partLoadsMax) await this.#options.requireRefusal(error)
        return error
      }
    }
  }

  get #partPath(): string {
    return this.#segment.path + partSuffix
  }

  async #loadPart(lines: readonly Line[]): Promise<void> {
    const { events, staging } = this.#options
    const path = this.#partPath
    await writeFile(path, `${lines.map(({ bytes }) => bytes.toString('latin1')).join('\n')}\n`, {
      encoding: 'latin1',
      mode: 0o600,
    })
    await step('staging', () => clearStaging(events, staging))
    const [first, last] = [lines[0]?.index, lines.at(-1)?.index]
    await loadRows(this.#options, {
      path,
      format: 'JSONEachRow',
      token: `${this.#segment.name}:${first}-${last}`,
      isAgain: true,
      triesVerdicts: true,
      staged: null,
      lines: async function* () {
        for (const { bytes } of lines) yield bytes.toString('utf8')
      },
    })
  }
}

async function countVerdicts(
  { events, staging, isShared }: SplitOptions,
  segment: Segment,
  good: readonly CountedLine[],
): Promise<void> {
  await step('verdicts', async () => {
    await clearStaging(events, staging)
    for (let start = 0; start < good.length; start += countsPerStatement) {
      await stageCounts(events, staging, good.slice(start, start + countsPerStatement))
    }
    const mayRepeat = isShared || good.some(({ letter }) => letter !== '')
    await insertVerdicts(events, staging, { origin: segmentOrigin(segment.name), mayRepeat })
    if (good.length > 0) await requireStaged(events, staging, good.length)
    await clearStaging(events, staging)
  })
}

/** Throws if the log did not write the line. */
function readCounted(bytes: Buffer): CountedLine {
  const line: unknown = JSON.parse(bytes.toString('utf8'))
  if (!isRecord(line)) throw new TypeError('a line of the log is an object')
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return {
    workspace_id: text(line.workspace_id),
    site_id: text(line.site_id),
    event_id: text(line.event_id),
    id_hi: wholeNumber(line.id_hi),
    id_lo: wholeNumber(line.id_lo),
    received_at: wholeNumber(line.received_at),
    letter: text(line.letter),
    ts: wholeNumber(line.ts),
    name: text(line.name),
    outcome: text(line.outcome),
    code: text(line.code),
    repeats: wholeNumber(line.repeats),
    state: text(line.state),
    is_stored: wholeNumber(line.is_stored),
  }
}

/** Counting must never be the reason of a refusal. */
function wholeNumber(value: unknown): number {
  return Number.isSafeInteger(value) ? Number(value) : 0
}
