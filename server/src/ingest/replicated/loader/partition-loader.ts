import { ChangeSignal } from '../../../platform/concurrency/change-signal.ts'
import type { Writer } from '../../loader/loader.ts'
import { createStaging } from '../../loader/staged-store.ts'
import { createProbe } from '../../loader/verdict-store.ts'
import type { ReplicatedLog } from '../replicated-log.ts'
import { LeaseUpkeep } from './lease-upkeep.ts'
import { Leases } from './leases.ts'
import { LoadFailures } from './load-failures.ts'
import { LoadedPositions, loadedChannel, wantedChannel } from './loaded-positions.ts'
import { PartitionLoads, type RangeSettings } from './partition-loads.ts'
import { createIdTable } from './repeat-store.ts'

type PartitionLoaderOptions = RangeSettings & {
  log: ReplicatedLog
  /** Unique to this process. */
  runId: string
  /** False where other nodes load: this one only asks how far they are. */
  loads: boolean
  onFailure: (error: Error, partition: number) => void
  onLoaded: () => void
  leaseMs?: number
}

export type PartitionLoader = Writer & {
  /** Something may be loaded: a message was appended here. */
  wake: () => void
}

/** After this another node takes over the partitions of a dead one. */
const leaseMsUsual = 15_000

/** Loads the partitions that this node holds, one range at a time; other nodes load the others meanwhile. */
export async function startPartitionLoader(options: PartitionLoaderOptions): Promise<PartitionLoader> {
  const { events, staging, control, loads } = options
  const idTable = `${staging}_ids`
  if (loads) {
    await createStaging(events, staging)
    await createProbe(events, staging)
    await createIdTable(events, idTable)
  }
  const parts = partsOf(options, idTable)
  const { ranges, positions, upkeep } = parts
  const refresh = () => void positions.refresh().catch(() => {})
  await control.listen(loadedChannel, refresh, refresh)
  if (loads) {
    await control.listen(
      wantedChannel,
      () => ranges.want(),
      () => {},
    )
  }
  await positions.refresh()
  await upkeep.start()
  if (loads) ranges.start()
  return writerOf(parts)
}

type Parts = {
  ranges: PartitionLoads
  positions: LoadedPositions
  upkeep: LeaseUpkeep
  leases: Leases
  failures: LoadFailures
  changes: ChangeSignal
  stopping: AbortController
}

function partsOf(options: PartitionLoaderOptions, idTable: string): Parts {
  const { control, runId, onFailure, onLoaded, leaseMs = leaseMsUsual } = options
  const stopping = new AbortController()
  const shared = {
    changes: new ChangeSignal(),
    failures: new LoadFailures({ onFailure, onRecovered: onLoaded }),
    leases: new Leases({ sql: control, holder: runId, leaseMs }),
  }
  const want = () => ranges.want()
  const positions = new LoadedPositions({ ...options, ...shared, stopping: stopping.signal, want })
  const ranges = new PartitionLoads({ ...options, ...shared, idTable, positions, stopping: stopping.signal })
  const isLoading = (partition: number) => ranges.isLoading(partition)
  const upkeep = new LeaseUpkeep({ ...options, ...shared, leaseMs, positions, isLoading })
  return { ...shared, ranges, positions, upkeep, stopping }
}

function writerOf({
  ranges,
  positions,
  upkeep,
  leases,
  failures,
  changes,
  stopping,
}: Parts): PartitionLoader {
  return {
    get failure() {
      return failures.latest
    },
    get refusedLines() {
      return ranges.refusedLines
    },
    get loadedSegments() {
      return ranges.loadedSegments
    },
    get loadedLines() {
      return ranges.loadedLines
    },
    holdMs: 0,
    flush: (timeoutMs) => positions.flush(timeoutMs),
    withoutLoads: (work) => ranges.withoutLoads(work),
    wake: () => changes.notify(),
    async stop() {
      stopping.abort()
      upkeep.stop()
      changes.notify()
      await ranges.close()
      await leases.releaseAll().catch(() => {})
    },
  }
}
