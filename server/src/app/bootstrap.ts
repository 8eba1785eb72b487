import type { Config } from '../config.ts'
import type { Outgoing } from '../destinations/outgoing.ts'
import { createLimits, type Limits } from '../http/limits/limits.ts'
import { shareLimits } from '../http/limits/shared-limits.ts'
import type { probeRoutes } from '../http/probes.ts'
import type { People } from '../identity/people.ts'
import { type DeadLetters, openDeadLetters } from '../ingest/dead-letters/dead-letters.ts'
import { startWriter, type Writer } from '../ingest/loader/loader.ts'
import { createStoreHealth } from '../ingest/loader/store-health.ts'
import { parseSegmentName } from '../ingest/wal/segment.ts'
import { type EventLog, openLog } from '../ingest/wal/write-ahead-log.ts'
import { type Clock, newId } from '../platform/clock.ts'
import type { Failures } from '../platform/failures.ts'
import type { Logger } from '../platform/logger.ts'
import type { Superseded } from '../registry/backfills/superseded.ts'
import type { SiteCurrencies } from '../sites/currencies.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import type { Deps } from './deps.ts'

/** How everything that was opened is closed again, the last first. */
export type Closers = (() => Promise<void>)[]

export async function openLimits(
  config: Config,
  control: Control,
  { nodeId, now }: { nodeId: string; now: Clock },
  closers: Closers,
): Promise<Limits> {
  const events = {
    eventsPerSecond: config.ingestEventsPerSecond,
    eventsPerSecondPerAddress: config.publicEventsPerSecondPerAddress,
  }
  const limits = createLimits(now, events, config.callsPerMinute)
  const endSharing = await shareLimits(control, limits, nodeId)
  closers.push(async () => endSharing())
  return limits
}

type Beside = {
  control: Control
  events: Events
  logDir: string
  nodeId: string
  now: Clock
  people: People
  outgoing: Outgoing
  failures: Failures
  superseded: Superseded
  currencies: SiteCurrencies
}

export async function openLogAndWriter(
  config: Config,
  beside: Beside,
  closers: Closers,
): Promise<{ log: EventLog; writer: Writer; deadLetters: DeadLetters }> {
  const { control, events, logDir, nodeId, now, people, outgoing, superseded, currencies, failures } = beside
  let writer: Writer | null = null
  const log = await openLog({
    dir: logDir,
    segmentBytesMax: config.segmentBytesMax,
    segmentAgeMsMax: config.segmentAgeMsMax,
    totalBytesMax: config.logBytesMax,
    now,
    nodeId,
    holdMs: () => writer?.holdMs ?? 0,
    onError: (error) => failures.report('log', error),
  })
  closers.push(() => log.close())
  const deadLetters = await openDeadLetters({
    control,
    logDir,
    nodeId,
    now,
    onFailure: (error) => failures.report('dead letters', error),
  })
  const stores = { events, staging: `staging_${nodeId}`, isShared: config.clickhouseUrl !== undefined }
  const started = await startWriter({
    log,
    ...stores,
    loadShare: config.loadShare,
    newId,
    observer: people.observing,
    forward: outgoing.forward,
    superseded,
    currencies,
    health: createStoreHealth({ ...stores, control, nodeId }),
    setAside: async (segment, lines) => {
      await deadLetters.setAside(segment, lines)
      const [first] = lines
      const facts = { segment: segment.name, lines: lines.length, step: first?.step ?? '' }
      if (first !== undefined) failures.report('dead letters', first.error, facts)
    },
    onFailure: (error, segment) => failures.report('loader', error, { segment: segment.name }),
    onLoaded: () => failures.recovered('loader'),
  })
  writer = started
  closers.push(() => started.stop())
  return { log, writer: started, deadLetters }
}

/** How long a start waits for what the log still holds. The rest is loaded while the product is up. */
const startLoadMsMax = 5_000

export async function loadRest(writer: Writer, logger: Logger): Promise<void> {
  const loaderLogger = logger.child({ component: 'loader' })
  loaderLogger.info('Loading what the log still holds')
  if (await writer.flush(startLoadMsMax)) return
  loaderLogger.info('The log takes longer; the rest is loaded while the product is up')
}

/** What machines ask about this process. */
export function probesOf(
  { log, writer, deadLetters, failures, control, events, now, publicUrl, dataUrl }: Deps,
  version: string,
): Parameters<typeof probeRoutes>[1] {
  return {
    version,
    addresses: () => ({ control: publicUrl(), data: dataUrl() }),
    readiness: async () => {
      const canWrite = await answers(() => log.isWritable())
      if (canWrite) failures.recovered('log')
      return {
        control: await answers(() => control.ping()),
        events: (await answers(() => events.ping())) && writer.failure === null,
        log: canWrite,
        failing: failures.failing(),
      }
    },
    failures: failures.counts,
    gauges: [
      {
        name: 'assay_log_pending_bytes',
        help: 'Bytes acknowledged and not loaded yet',
        read: () => log.pendingBytes,
      },
      {
        name: 'assay_log_pending_events',
        help: 'Events acknowledged and not loaded yet',
        read: () => log.pendingEvents,
      },
      {
        name: 'assay_loaded_segments',
        help: 'Segments loaded since start',
        read: () => writer.loadedSegments,
      },
      {
        name: 'assay_loaded_lines',
        help: 'Log lines loaded since start',
        read: () => writer.loadedLines,
      },
      {
        name: 'assay_oldest_unloaded_seconds',
        help: 'Age of the oldest segment that is not loaded yet',
        read: () => oldestAgeSeconds(log, now()),
      },
      {
        name: 'assay_dead_letters_waiting',
        help: 'Lines of the log that no store took, and nobody decided about',
        read: () => deadLetters.waiting,
      },
      {
        name: 'assay_dead_letters_filed',
        help: 'Those of them that are in the file beside the log',
        read: () => deadLetters.file.letters,
      },
      { name: 'assay_load_failing', help: '1 while loads fail', read: () => (writer.failure ? 1 : 0) },
    ],
  }
}

/** The name of a segment begins with the time of its making. */
function oldestAgeSeconds(log: EventLog, nowMs: number): number {
  const begunMs = parseSegmentName(log.closed()[0]?.name ?? '')?.sequence
  return begunMs === undefined ? 0 : Math.max(0, (nowMs - begunMs) / 1000)
}

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  return ask().then(
    (answer) => answer !== false,
    () => false,
  )
}
