import type { Failures } from '../../platform/logging/failures.ts'
import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import { mappingRules } from '../mappings/rules.ts'
import type { Registry } from '../registry.ts'
import { claimNext, endBackfill, extendClaim, releaseClaim, saveProgress } from './claim-store.ts'
import { forgetPrevious, selectSuperseded } from './generation-store.ts'
import { type SettlingOptions, settle } from './overlay-publication.ts'
import { dropGeneration, dropOverlayRows, insertOverlayRows, selectStoredPage } from './overlay-store.ts'
import { type BackfillRow, deleteBackfill, selectLeftDryRuns } from './store.ts'
import { addCounts, judgeStored, openGate, passes, toOverlayRow } from './validation.ts'

export type RunnerOptions = SettlingOptions & {
  registry: Registry
  failures: Pick<Failures, 'report'>
  pageRows?: number
}

/** Events of 32 KB at most: a page takes 160 MB at the very worst, and usually three or four. */
const pageRowsUsual = 5_000
/** A page takes a second or two; who does not come back for a minute is gone. */
const leaseSeconds = 60
/** Laying a million rows takes some minutes in the portable engine. */
const settleSeconds = 900
/** Waits grow from ten seconds to ten minutes: an outage of half an hour is outlived. */
const triesMax = 8
const retrySecondsFirst = 10
const retrySecondsMax = 600
/** How soon a node takes over what another one has left. */
const pollMs = 15_000
/** A read that still goes by a generation from before this is hung. */
const sweepAfterMs = 3_600_000

/** Works on the back-fills of all sites, a page at a time, and on each only while no other node does. */
export class BackfillRunner {
  readonly #options: RunnerOptions
  #isClosing = false
  #isWanted = false
  #running: Promise<void> | null = null
  #poll: NodeJS.Timeout | null = null
  // bounded: by those who wait for the runner to be idle.
  readonly #watchers = new Set<() => void>()

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  /** Continues interrupted work, and checks now and then for what other nodes abandoned. */
  start(): void {
    this.wake()
    this.#poll = setInterval(() => {
      this.wake()
      this.#sweep().catch((error) => this.#options.failures.report('back-fills', error))
    }, pollMs)
    this.#poll.unref()
  }

  wake(): void {
    this.#isWanted = true
    if (this.#isClosing || this.#running !== null) return
    this.#running = this.#run().finally(() => {
      this.#running = null
      if (this.#isWanted) this.wake()
    })
  }

  /** Stops after the current page; another start, or another node, continues with the next. */
  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#poll !== null) clearInterval(this.#poll)
    await this.#running
  }

  /** Resolves when a piece of work was done here, or after a while. */
  async change(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      this.#watchers.add(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  async #run(): Promise<void> {
    const { control, nodeId, failures } = this.#options
    while (!this.#isClosing) {
      this.#isWanted = false
      try {
        const backfill = await claimNext(control, nodeId, leaseSeconds)
        if (backfill === null) return
        await this.#work(backfill)
      } catch (error) {
        // The control store is away: the next poll tries again.
        failures.report('back-fills', error)
        return
      } finally {
        for (const tellWatcher of this.#watchers) tellWatcher()
        this.#watchers.clear()
      }
    }
  }

  async #work(backfill: BackfillRow): Promise<void> {
    try {
      if (backfill.status === 'withdrawing') await this.#withdraw(backfill)
      else if (await this.#judgePage(backfill)) await this.#settle(backfill, 'done')
    } catch (error) {
      await this.#putOff(backfill, error)
    }
  }

  /** One that was never done changed no read, so there is nothing to settle. */
  async #withdraw(backfill: BackfillRow): Promise<void> {
    const { control, events, nodeId, now } = this.#options
    if (backfill.finished_at !== null) return this.#settle(backfill, 'withdrawn')
    await dropOverlayRows(events, backfill.id)
    await endBackfill(control, nodeId, backfill.id, 'withdrawing', 'withdrawn', new Date(now()))
  }

  async #settle(backfill: BackfillRow, outcome: 'done' | 'withdrawn'): Promise<void> {
    const { control, nodeId } = this.#options
    await extendClaim(control, nodeId, backfill.id, settleSeconds)
    await settle(this.#options, backfill, outcome)
  }

  /** True when that was the last page. */
  async #judgePage(backfill: BackfillRow): Promise<boolean> {
    const { control, events, nodeId, pageRows = pageRowsUsual } = this.#options
    const { cursor_ms: ms, cursor_id: eventId } = backfill
    const page = await selectStoredPage(
      events,
      rangeOf(backfill),
      backfill.sent_names,
      { ms, eventId },
      pageRows,
    )
    const last = page.at(-1)
    if (last === undefined) return true
    const judged = await judgeStored(page, await this.gateFor(backfill))
    await insertOverlayRows(
      events,
      judged.filter(passes).map((one) => toOverlayRow(backfill, one)),
    )
    const progress = {
      id: backfill.id,
      cursor_ms: Number(last.ms),
      cursor_id: last.event_id,
      ...addCounts(backfill, judged),
    }
    const isOurs = await saveProgress(control, nodeId, progress)
    return isOurs && page.length < pageRows
  }

  async gateFor(backfill: BackfillRow): Promise<ReturnType<typeof openGate>> {
    const { control, registry } = this.#options
    const { workspace_id: workspaceId, site_id: siteId } = backfill
    const rules = await mappingRules(control, workspaceId, siteId)
    return openGate(backfill, rules, await registry.knowledge(workspaceId, siteId))
  }

  async #putOff(backfill: BackfillRow, error: unknown): Promise<void> {
    const { control, events, nodeId, now, failures } = this.#options
    failures.report('back-fills', error, { backfill: backfill.id })
    const tries = backfill.tries + 1
    if (tries > triesMax && backfill.status === 'running') {
      await endBackfill(control, nodeId, backfill.id, 'running', 'failed', new Date(now()))
      await dropOverlayRows(events, backfill.id)
      return
    }
    const waitSeconds = Math.min(retrySecondsFirst * 2 ** (tries - 1), retrySecondsMax)
    await releaseClaim(control, nodeId, backfill.id, waitSeconds, tries)
  }

  /** Obsolete rows, and those of dry runs whose process died. */
  async #sweep(): Promise<void> {
    const { control, events, now } = this.#options
    const before = new Date(now() - sweepAfterMs)
    for (const { site_id, previous } of await selectSuperseded(control, before)) {
      await dropGeneration(events, previous)
      await forgetPrevious(control, site_id, previous)
    }
    for (const id of await selectLeftDryRuns(control, before)) await forgetDryRun(control, events, id)
  }
}

export async function forgetDryRun(control: Control, events: Events, id: string): Promise<void> {
  await dropOverlayRows(events, id)
  await deleteBackfill(control, id)
}

export function rangeOf({ workspace_id, site_id, from_at, to_at }: BackfillRow) {
  return { workspaceId: workspace_id, siteId: site_id, fromMs: from_at.getTime(), toMs: to_at.getTime() }
}
