import { type Clock, newId } from './clock.ts'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import type { Outgoing } from './destinations/outgoing.ts'
import { createLimits, type Limits } from './http/limits.ts'
import type { probeRoutes } from './http/probes.ts'
import { shareLimits } from './http/shared-limits.ts'
import type { People } from './identity/people.ts'
import { type EventLog, openLog } from './ingest/log.ts'
import { startWriter, type Writer } from './ingest/writer.ts'
import type { Control } from './store/control.ts'
import type { Events } from './store/events.ts'

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

export async function openLogAndWriter(
  config: Config,
  events: Events,
  beside: { logDir: string; nodeId: string; now: Clock; people: People; outgoing: Outgoing },
  closers: Closers,
): Promise<{ log: EventLog; writer: Writer }> {
  const { logDir, nodeId, now, people, outgoing } = beside
  let writer: Writer | null = null
  const log = await openLog({
    dir: logDir,
    segmentBytesMax: config.segmentBytesMax,
    segmentAgeMsMax: config.segmentAgeMsMax,
    totalBytesMax: config.logBytesMax,
    now,
    nodeId,
    holdMs: () => writer?.holdMs ?? 0,
  })
  closers.push(() => log.close())
  const started = await startWriter({
    log,
    events,
    staging: `staging_${nodeId}`,
    isShared: config.clickhouseUrl !== undefined,
    loadShare: config.loadShare,
    newId,
    observer: people.observing,
    forward: outgoing.forward,
  })
  writer = started
  closers.push(() => started.stop())
  return { log, writer: started }
}

/** What machines ask about this process. */
export function probesOf(
  config: Config,
  deps: Deps,
  log: EventLog,
  version: string,
): Parameters<typeof probeRoutes>[1] {
  return {
    version,
    readiness: async () => ({
      control: await answers(() => deps.control.ping()),
      events: (await answers(() => deps.events.ping())) && deps.writer.failure === null,
      log: log.pendingBytes < config.logBytesMax,
    }),
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
        read: () => deps.writer.loadedSegments,
      },
      {
        name: 'assay_loaded_lines',
        help: 'Log lines loaded since start',
        read: () => deps.writer.loadedLines,
      },
      { name: 'assay_load_failing', help: '1 while loads fail', read: () => (deps.writer.failure ? 1 : 0) },
    ],
  }
}

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  return ask().then(
    (answer) => answer !== false,
    () => false,
  )
}
