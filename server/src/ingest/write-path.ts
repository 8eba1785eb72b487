import { isRecord, outcomes, Problem } from '@assay/contract'
import type { Tracer } from '../platform/tracing/tracer.ts'
import { reloadedLine } from './dead-letters/event.ts'
import type { Claim } from './dedup/claim.ts'
import type { Admission } from './dedup/dedup.ts'
import { type ItemResult, toResult } from './item-result.ts'
import { releasedLine, stillQuarantinedLine } from './row/decision-rows.ts'
import type { Revalidated } from './row/quarantined-event.ts'
import type { IdHash, LineDecision } from './row/row.ts'
import type { Lines } from './row/row-builder.ts'
import { type Judged, passes, type Sender } from './validation.ts'
import { type EventLog, LogFailed, LogFull, LogUnconfirmed } from './wal/event-log.ts'
import type { LineOwner } from './wal/pending-tally.ts'

/** Stores the identities of an event; if it throws, the event is not stored. */
type Bind = () => Promise<void>

/** The write path behind the gate: claim the ids, enrich, append, and only then answer. */
export class WritePath {
  readonly #admission: Admission
  readonly #lines: Lines
  readonly #log: EventLog
  readonly #tracer: Tracer | null

  constructor(admission: Admission, lines: Lines, log: EventLog, tracer: Tracer | null) {
    this.#admission = admission
    this.#lines = lines
    this.#log = log
    this.#tracer = tracer
  }

  #append(text: string, lines: number, owner: LineOwner): Promise<void> {
    const tracer = this.#tracer
    if (tracer === null) return this.#log.append(text, lines, owner)
    const attributes = { 'assay.lines': lines, 'assay.characters': text.length }
    return tracer.runWithin({ name: 'append', attributes }, () =>
      this.#log.append(text, lines, { ...owner, trace: tracer.current() }),
    )
  }

  /**
   * Adds to the index before the append, so that a concurrent repeat is recognised, and undoes what was not
   * written.
   */
  async store(
    judged: readonly Judged[],
    sender: Sender,
    receivedMs: number,
    /**
     * Called for a first sighting that passes, before its line is built: either both are stored, or neither.
     */
    bind?: Bind,
  ): Promise<ItemResult[]> {
    const group = this.#admission.begin()
    const written: Written[] = []
    try {
      let text = ''
      for (const one of judged) {
        const admitted = admit(one, sender, receivedMs, group, this.#lines, bind)
        // Nearly every claim is answered from memory; awaiting those too would cost more than the claim.
        const now = admitted instanceof Promise ? await admitted : admitted
        written.push(now)
        text += now.line
      }
      const predecessors = group.predecessors()
      if (predecessors !== null) await predecessors
      // Aliases alone leave no line.
      const owner = { workspaceId: sender.workspaceId, stored: written.filter(isStored).length }
      await group.finish(text === '' ? Promise.resolve() : this.#append(text, judged.length, owner))
    } catch (error) {
      group.undo()
      throw refusal(error)
    }
    const lost = await group.lostFirsts()
    if (lost.length === 0) return written.map(({ result }) => result)
    return this.#tryAgain(judged, written, lost, sender, receivedMs, bind)
  }

  /** The first sighting of these repeats could not be written, so they become first themselves. */
  async #tryAgain(
    judged: readonly Judged[],
    written: readonly Written[],
    lost: readonly IdHash[],
    sender: Sender,
    receivedMs: number,
    bind: Bind | undefined,
  ): Promise<ItemResult[]> {
    const isLost = ({ repeatOf }: Written) =>
      lost.some((id) => id.hi === repeatOf?.hi && id.lo === repeatOf.lo)
    const again = judged.filter((_, index) => written[index] && isLost(written[index]))
    const retried = await this.store(again, sender, receivedMs, bind)
    return written.map((one) => (isLost(one) ? (retried.shift() ?? one.result) : one.result))
  }

  /** A repaired event: it has its id already, and its order if it is the first of it. */
  async reload(
    one: Judged,
    sender: Sender,
    receivedMs: number,
    { line, letter, isStored }: LoadedLetter,
  ): Promise<ItemResult> {
    const group = this.#admission.begin()
    try {
      // It is stored as it was sent; only the validation uses the class of who repaired it.
      const isPublic = line.is_public === 1
      const claim = await group.claimReleased(one, { workspaceId: sender.workspaceId, isPublic })
      const made: unknown = JSON.parse(this.#lines.stored(one, sender, receivedMs, claim))
      const text = reloadedLine(isRecord(made) ? made : {}, line, { letter, is_stored: isStored ? 1 : 0 })
      await group.finish(this.#append(`${text}\n`, 1, { workspaceId: sender.workspaceId, stored: 1 }))
      return toResult(one, claim)
    } catch (error) {
      group.undo()
      throw refusal(error)
    }
  }

  /**
   * Stores quarantined events that passed, and records why others did not; resolves when both are on disk.
   */
  async decide(
    passed: readonly Revalidated[],
    stillQuarantined: readonly Revalidated[],
    workspaceId: string,
    decision: LineDecision,
  ): Promise<void> {
    if (passed.length + stillQuarantined.length === 0) return
    const group = this.#admission.begin()
    try {
      let text = ''
      for (const one of passed) {
        const isPublic = one.held.sender.keyClass === 'public'
        const claim = await group.claimReleased(one.judged, { workspaceId, isPublic })
        text += releasedLine(one, workspaceId, claim, decision)
      }
      for (const one of stillQuarantined) text += stillQuarantinedLine(one, workspaceId, decision)
      const predecessors = group.predecessors()
      if (predecessors !== null) await predecessors
      const lines = passed.length + stillQuarantined.length
      await group.finish(this.#append(text, lines, { workspaceId, stored: lines }))
    } catch (error) {
      group.undo()
      throw refusal(error)
    }
  }
}

/** A line that was set aside, and its letter. */
export type LoadedLetter = {
  line: Readonly<Record<string, unknown>>
  letter: string
  isStored: boolean
}

type Written = { line: string; result: ItemResult; repeatOf: IdHash | null }

/** The lines of rejections and repeats only count them. */
const isStored = ({ line, result, repeatOf }: Written) =>
  line !== '' && repeatOf === null && result.outcome !== 'reject'

function admit(
  one: Judged,
  sender: Sender,
  receivedMs: number,
  group: ReturnType<Admission['begin']>,
  lines: Lines,
  bind: Bind | undefined,
): Written | Promise<Written> {
  if (one.alias !== undefined) return { line: '', result: toResult(one), repeatOf: null }
  if (one.verdict.outcome === 'reject')
    return { line: lines.rejected(one, sender), result: toResult(one), repeatOf: null }
  const isPublic = sender.keyClass === 'public'
  const isBot = one.isBot === true
  const found = group.claim(one, { workspaceId: sender.workspaceId, isBot, isPublic })
  const isBound = bind !== undefined && passes(one)
  if (!isBound && !(found instanceof Promise)) return write(one, sender, receivedMs, lines, found)
  return Promise.resolve(found).then(async (claim) => {
    if (isBound && claim.kind === 'first') await bind()
    return write(one, sender, receivedMs, lines, claim)
  })
}

function write(one: Judged, sender: Sender, receivedMs: number, lines: Lines, claim: Claim): Written {
  if (claim.kind === 'repeat') {
    const first = outcomes[claim.outcomeRank] ?? 'accept'
    const result = toResult(one, { kind: 'repeat', outcome: first })
    return { line: lines.repeated(one, sender, first), result, repeatOf: claim.idHash }
  }
  return { line: lines.stored(one, sender, receivedMs, claim), result: toResult(one, claim), repeatOf: null }
}

export function refusal(error: unknown): unknown {
  if (error instanceof LogFull) {
    return new Problem('unavailable', {
      detail:
        'There is no space to store events safely right now. Nothing of this request was stored; send it again later.',
      internal: 'the log is full',
      cause: error,
      headers: { 'retry-after': '5' },
    })
  }
  if (error instanceof LogUnconfirmed) {
    return new Problem('unavailable', {
      detail:
        'The log did not confirm the events in time. Send the same request again: an event with an id counts once, whether or not it was stored.',
      internal: 'the log did not confirm in time',
      cause: error,
      headers: { 'retry-after': '1' },
    })
  }
  if (error instanceof LogFailed) {
    return new Problem('unavailable', {
      detail: 'The events could not be written. Nothing of this request was stored; send it again.',
      internal: 'the log could not be written',
      cause: error,
      headers: { 'retry-after': '1' },
    })
  }
  return error
}
