import type { ReadTurns } from '../http/limits/read-turns.ts'
import type { probeRoutes } from '../http/probes.ts'
import type { LogAndLoader } from '../ingest/log-and-loader.ts'
import type { EventLog } from '../ingest/wal/event-log.ts'
import type { Platform } from '../platform/platform.ts'

/** One port may answer while the other is not open yet, and the start can still fail. */
export type Standing = { readonly isStarting: boolean }
type Served = { readTurns: Pick<ReadTurns, 'waiting'>; standing: Standing; version: string }

/** What machines ask about this process. */
export function probesOf(
  { config, nodes, failures, draining, metrics, control, events, now, publicUrl, dataUrl }: Platform,
  { log, writer, deadLetters }: LogAndLoader,
  { readTurns, standing, version }: Served,
): Parameters<typeof probeRoutes>[1] {
  return {
    version,
    roles: config.roles,
    nodes: nodes.list,
    counted: metrics.registry,
    dataDir: config.dataDir,
    addresses: () => ({ control: publicUrl(), data: dataUrl() }),
    readiness: async () => {
      const canWrite = await answers(() => log.isWritable())
      if (canWrite) failures.recovered('log')
      return {
        control: await answers(() => control.ping()),
        events: (await answers(() => events.ping())) && writer.failure === null,
        log: canWrite,
        isStarting: standing.isStarting,
        isStopping: draining.isOn,
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
        help: 'Lines of the log that no store took and that wait for a decision',
        read: () => deadLetters.waiting,
      },
      {
        name: 'assay_dead_letters_filed',
        help: 'Those of them that are in the file next to the log',
        read: () => deadLetters.file.letters,
      },
      {
        name: 'assay_reads_waiting',
        help: 'Reads of stored events that wait for their turn',
        read: () => readTurns.waiting,
      },
      { name: 'assay_load_failing', help: '1 while loads fail', read: () => (writer.failure ? 1 : 0) },
    ],
  }
}

function oldestAgeSeconds({ oldestMs }: EventLog, nowMs: number): number {
  return oldestMs === null ? 0 : Math.max(0, (nowMs - oldestMs) / 1000)
}

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  return ask().then(
    (answer) => answer !== false,
    () => false,
  )
}
