import type { BotReason, RawEvent } from '@assay/contract'
import type { ConsentJudge } from '../consent/consents.ts'
import type { People } from '../identity/people.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Tracer } from '../platform/tracing/tracer.ts'
import type { Registry } from '../registry/registry.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import { sharedSecret } from '../store/installation.ts'
import type { DeadLetters } from './dead-letters/dead-letters.ts'
import { type Admission, createAdmission } from './dedup/dedup.ts'
import { readPending } from './dedup/pending-ids.ts'
import { nowhereKnown } from './enrich/country/place.ts'
import { botReasonOf } from './enrich/enrich.ts'
import type { RequestFacts } from './enrich/request-facts.ts'
import { type ItemResult, toResult } from './item-result.ts'
import type { Writer } from './loader/loader.ts'
import { createRecentEvents, type RecentEvents } from './receipts/recent-events.ts'
import { createLines } from './row/row-builder.ts'
import { createVisitorSalts, type VisitorSalts } from './row/salts.ts'
import { type Submission, Submissions } from './submission.ts'
import { type Item, judgeItems, type Sender } from './validation.ts'
import type { EventLog } from './wal/event-log.ts'
import { type LoadedLetter, WritePath } from './write-path.ts'

type PreparedReload = {
  result: ItemResult
  append: (letter: LoadedLetter) => Promise<ItemResult>
}

export type Ingest = {
  submit: (items: readonly Item[], sender: Sender, strict: boolean) => Promise<Submission>
  /** Stores an identify event and identifies its person, or neither. */
  identify: (item: Item, sender: Sender) => Promise<ItemResult>
  /**
   * Appends quarantined events that passed, and records why others did not; resolves when both are on disk.
   */
  decide: WritePath['decide']
  /** Validates a repaired dead letter; nothing is stored before it is appended. */
  prepareReload: (item: Item, sender: Sender, receivedMs: number) => Promise<PreparedReload>
  /** Whether an event of a back end comes from a bot, by the user agent that it forwards. */
  botReasonOf: (event: RawEvent) => BotReason | undefined
  hashId: Admission['hashId']
  recall: Admission['recall']
  /** The latest events, for the live view. */
  recent: Pick<RecentEvents, 'read' | 'forget' | 'forgetOld'>
  /** Evicts the latest events, here and on every other node. */
  forgetRecent: (workspaceId: string) => Promise<void>
  visitorSalts: VisitorSalts
  /** Evicts the visitors of a deleted site. */
  forgetSite: (siteId: string) => void
  close: () => void
}

type IngestOptions = {
  control: Control
  events: Events
  registry: Registry
  consents: ConsentJudge
  people: People
  log: EventLog
  writer: Writer
  deadLetters: Pick<DeadLetters, 'lines'>
  /** Whether a workspace is being deleted. */
  isClosed: (workspaceId: string) => boolean
  now: Clock
  newId: NewId
  metrics: Pick<Metrics, 'judged'>
  tracer: Tracer | null
}

/** The user agent of a back end says nothing about the person. */
const backEnd: RequestFacts = {
  credential: 'secret',
  agent: null,
  locale: '',
  place: nowhereKnown,
  lookupPlace: () => nowhereKnown,
  gpc: false,
}

const recentChannel = 'assay_recent_forgotten'

/** The write path from the gate to the log: validate, dedup, enrich, append, and only then answer. */
export async function createIngest(options: IngestOptions): Promise<Ingest> {
  const { control, events, registry, consents, people, log, deadLetters, now, newId } = options
  const pending = await readPending(log, deadLetters.lines())
  const admission = await createAdmission(events, await sharedSecret(control, 'event_ids'), now, pending)
  const noteSeen = people.sightings.note
  const lines = await createLines({ ...options, personKeyOf: people.keys.of, noteSeen, pending })
  const visitorSalts = await createVisitorSalts(control, now)

  const judges = { registry, consents }
  const writePath = new WritePath(admission, lines, log, options.tracer)
  const recent = createRecentEvents(newId('run'))
  const submission = new Submissions({ ...options, judges, writePath, recent })
  await control.listen(recentChannel, recent.forget, recent.forgetAll)

  return {
    decide: (...held) => writePath.decide(...held),
    async prepareReload(item, sender, receivedMs) {
      const [one] = await judgeItems([item], sender, judges, receivedMs, newId)
      if (one === undefined) throw new Error('one item in gave no verdict')
      return {
        result: toResult(one),
        append: (letter) => writePath.reload(one, sender, receivedMs, letter),
      }
    },
    botReasonOf: (event) => botReasonOf(event, backEnd),
    hashId: admission.hashId,
    recall: admission.recall,
    recent,
    forgetRecent: async (workspaceId) => {
      recent.forget(workspaceId)
      await control.notify(recentChannel, workspaceId)
    },
    visitorSalts,
    forgetSite: lines.forgetSite,
    close: () => {
      lines.close()
      return visitorSalts.close()
    },
    submit: (...delivery) => submission.submit(...delivery),
    identify: (...call) => submission.identify(...call),
  }
}
