import type { Control } from '../../../store/control.ts'
import { selectNodes } from '../partition-store.ts'
import type { ReplicatedLog } from '../replicated-log.ts'
import type { Streams } from '../streams.ts'
import type { Leases } from './leases.ts'
import type { LoadFailures } from './load-failures.ts'
import type { LoadedPositions } from './loaded-positions.ts'

const renewsPerLease = 4

type UpkeepOptions = {
  control: Control
  log: ReplicatedLog
  leases: Leases
  leaseMs: number
  streams: Streams
  positions: LoadedPositions
  failures: LoadFailures
  /** False where other nodes load: this one only asks how far they are. */
  loads: boolean
  isLoading: (partition: number) => boolean
}

/** Renews the leases of this node while it runs, and shares the partitions with the other nodes that load. */
export class LeaseUpkeep {
  readonly #options: UpkeepOptions
  #isRenewing = false
  #renewal: NodeJS.Timeout | undefined

  constructor(options: UpkeepOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { leaseMs, loads } = this.#options
    if (loads) await this.#balance()
    this.#renewal = setInterval(() => void this.#renew(), leaseMs / renewsPerLease).unref()
  }

  stop(): void {
    clearInterval(this.#renewal)
  }

  /** One at a time: a control store that hangs must not be asked again and again. */
  async #renew(): Promise<void> {
    if (this.#isRenewing) return
    this.#isRenewing = true
    const { loads, leases, log, positions, failures } = this.#options
    try {
      if (loads) {
        await leases.renew()
        await this.#balance()
      }
      if (log.pendingEvents > 0) await positions.refresh()
      failures.recover()
    } catch (error) {
      failures.report(error, -1)
    } finally {
      this.#isRenewing = false
    }
  }

  async #balance(): Promise<void> {
    const { control, streams, leases, isLoading } = this.#options
    const nodes = await selectNodes(control)
    const loaders = nodes.filter(({ isSeen, kind, loads }) => isSeen && kind === 'nats' && loads)
    const share = Math.ceil(streams.partitions / Math.max(1, loaders.length))
    await leases.balance(share, isLoading)
  }
}
