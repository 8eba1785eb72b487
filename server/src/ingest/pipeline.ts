import { type Outcome, outcomes, Problem, type Verdict } from '@assay/contract'
import { sharedSecret } from '../accounts/workspaces.ts'
import type { Clock, NewId } from '../clock.ts'
import type { Registry } from '../registry/knowledge.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import { type Admission, createAdmission } from './admission.ts'
import { type Item, isStored, type Judged, judgeItems, type Sender } from './judging.ts'
import { createLines, type Lines } from './lines.ts'
import { type EventLog, LogFailed, LogFull } from './log.ts'
import type { Rejudged } from './quarantine-judging.ts'
import { releasedLine, stillHeldLine } from './quarantine-lines.ts'
import type { IdHash, LineDecision } from './row.ts'
import { createVisitorSalts, type VisitorSalts } from './salts.ts'
import type { Writer } from './writer.ts'

export type ItemResult = {
  eventId: string
  outcome: Outcome
  duplicate: boolean
  /** The first sighting of the same order, when this is a later one. */
  duplicateOf: string
  issues: Verdict['issues']
  name: string
}

export type Submission = {
  results: ItemResult[] /** Strict, and something did not pass: nothing was stored. */
  refused: boolean
}

export type Ingest = {
  submit: (items: readonly Item[], sender: Sender, strict: boolean) => Promise<Submission>
  /** Lets held events that passed into the street, and notes why others did not; resolves when both are on disk. */
  decide: (
    passed: readonly Rejudged[],
    stillHeld: readonly Rejudged[],
    workspaceId: string,
    decision: LineDecision,
  ) => Promise<void>
  hashId: Admission['hashId']
  visitorSalts: VisitorSalts
  close: () => void
}

export type IngestOptions = {
  control: Control
  events: Events
  registry: Registry
  log: EventLog
  writer: Writer
  now: Clock
  newId: NewId
}

/** The write street from the gate to the log: judge, dedup, describe, append, and only then answer. */
export async function createIngest(options: IngestOptions): Promise<Ingest> {
  const { control, events, registry, log, now, newId } = options
  const secret = await sharedSecret(control, 'identity')
  const admission = await createAdmission(events, await sharedSecret(control, 'event_ids'), now)
  const lines = await createLines(events, secret, now)
  const visitorSalts = await createVisitorSalts(control, now)

  return {
    decide,
    hashId: admission.hashId,
    visitorSalts,
    close: () => visitorSalts.close(),
    async submit(items, sender, strict) {
      const receivedMs = now()
      const judging = judgeItems(items, sender, registry, receivedMs, newId)
      const judged = judging instanceof Promise ? await judging : judging
      const refused =
        strict &&
        judged.some(({ verdict }) => verdict.outcome === 'quarantine' || verdict.outcome === 'reject')
      if (refused || sender.storesNothing) return { results: judged.map((one) => toResult(one)), refused }
      const results = await store(judged, sender, receivedMs)
      return { results, refused: false }
    },
  }

  async function decide(...[passed, stillHeld, workspaceId, decision]: Parameters<Ingest['decide']>) {
    if (passed.length + stillHeld.length === 0) return
    const group = admission.begin()
    try {
      let text = ''
      for (const one of passed) {
        const claim = await group.claimReleased(one.judged, workspaceId)
        text += releasedLine(one, workspaceId, claim, decision)
      }
      for (const one of stillHeld) text += stillHeldLine(one, workspaceId, decision)
      await group.finish(log.append(text, passed.length + stillHeld.length))
    } catch (error) {
      group.undo()
      throw refusal(error)
    }
  }

  /** Adds to the index before the append, so that a parallel repeat is seen, and takes back what was not written. */
  async function store(judged: readonly Judged[], sender: Sender, receivedMs: number): Promise<ItemResult[]> {
    const group = admission.begin()
    const written: Written[] = []
    try {
      let text = ''
      for (const one of judged) {
        const admitted = admit(one, sender, receivedMs, group, lines)
        // Nearly every claim is answered from memory; waiting for those too would cost more than the claim.
        const now = admitted instanceof Promise ? await admitted : admitted
        written.push(now)
        text += now.line
      }
      await group.finish(log.append(text, judged.length))
    } catch (error) {
      group.undo()
      throw refusal(error)
    }
    const lost = await group.lostFirsts()
    return lost.length === 0
      ? written.map(({ result }) => result)
      : tryAgain(judged, written, lost, sender, receivedMs)
  }

  /** The first sighting of these repeats could not be written, so they are first themselves. */
  async function tryAgain(
    judged: readonly Judged[],
    written: readonly Written[],
    lost: readonly IdHash[],
    sender: Sender,
    receivedMs: number,
  ): Promise<ItemResult[]> {
    const isLost = ({ repeatOf }: Written) =>
      lost.some((id) => id.hi === repeatOf?.hi && id.lo === repeatOf.lo)
    const retried = await store(
      judged.filter((_, index) => written[index] && isLost(written[index])),
      sender,
      receivedMs,
    )
    return written.map((one) => (isLost(one) ? (retried.shift() ?? one.result) : one.result))
  }
}

type Written = { line: string; result: ItemResult; repeatOf: IdHash | null }

function admit(
  one: Judged,
  sender: Sender,
  receivedMs: number,
  group: ReturnType<Admission['begin']>,
  lines: Lines,
): Written | Promise<Written> {
  if (!isStored(one)) return { line: lines.rejected(one, sender), result: toResult(one), repeatOf: null }
  const found = group.claim(one, {
    workspaceId: sender.workspaceId,
    isBot: sender.facts.agent?.isBot === true && sender.keyClass === 'public',
  })
  return found instanceof Promise ? found.then((claim) => write(claim)) : write(found)

  function write(claim: Awaited<typeof found>): Written {
    if (claim.kind === 'repeat') {
      const first = outcomes[claim.outcomeRank] ?? 'accept'
      const result = toResult(one, { kind: 'repeat', outcome: first })
      return { line: lines.repeated(one, sender, first), result, repeatOf: claim.idHash }
    }
    return {
      line: lines.stored(one, sender, receivedMs, claim),
      result: toResult(one, claim),
      repeatOf: null,
    }
  }
}

type Standing = { kind: 'first'; duplicateOf: string } | { kind: 'repeat'; outcome: Outcome }

/** A repeat answers the first verdict. Its issues are those of this copy, which is the same event, unless it was judged otherwise. */
function toResult(
  { eventId, verdict }: Judged,
  standing: Standing = { kind: 'first', duplicateOf: '' },
): ItemResult {
  const { issues, name } = verdict
  if (standing.kind === 'repeat') {
    const sameIssues = standing.outcome === verdict.outcome ? issues : []
    return { eventId, outcome: standing.outcome, duplicate: true, duplicateOf: '', issues: sameIssues, name }
  }
  const { duplicateOf } = standing
  return { eventId, outcome: verdict.outcome, duplicate: duplicateOf !== '', duplicateOf, issues, name }
}

function refusal(error: unknown): unknown {
  if (error instanceof LogFull) {
    return new Problem('unavailable', {
      detail:
        'There is no room to keep events safely right now. Nothing of this request was stored; send it again later.',
      internal: 'the log is full',
      cause: error,
      headers: { 'retry-after': '5' },
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
