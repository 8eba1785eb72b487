import { type Clock, newId } from './clock.ts'
import type { Config } from './config.ts'
import type { Outgoing } from './destinations/outgoing.ts'
import { createLimits, type Limits } from './http/limits.ts'
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
  const limits = createLimits(now, config.ingestEventsPerSecond, config.callsPerMinute)
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
