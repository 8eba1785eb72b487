import {
  compileContract,
  type EventContract,
  judgeReading,
  type Outcome,
  type Replay,
  replayEventsMax,
  type Verdict,
} from '@assay/contract'
import { dayMs } from '../../platform/units.ts'
import type { Events } from '../../store/events.ts'
import type { Registry } from '../registry.ts'
import { findTraffic, heldTraffic, type PastEvent, storedTraffic } from './traffic.ts'

const samplesMax = 20
/** So that one frequent issue does not take all places. */
const samplesPerCodeMax = 5

/** Judges past events by the real gate as if this contract were published. */
function createJudge(registry: Registry, workspaceId: string, contract: EventContract) {
  const compiled = compileContract({ ...contract, status: 'published' })
  const contracts = new Map([[contract.name, compiled]])
  return async ({ siteId, keyClass, receivedAt, event }: PastEvent): Promise<Verdict> => {
    const found = registry.knowledge(workspaceId, siteId)
    const { mapping, preset, severities } = found instanceof Promise ? await found : found
    return judgeReading(
      { kind: 'event', event },
      { contracts, mapping, preset, severities, keyClass, receivedAt },
    )
  }
}

/** What the traffic of the last days would have got under a draft. */
export async function replayTraffic(
  events: Events,
  registry: Registry,
  workspaceId: string,
  draft: EventContract,
  days: number,
  nowMs: number,
): Promise<Replay> {
  const judge = createJudge(registry, workspaceId, draft)
  const sinceMs = nowMs - days * dayMs
  const stored = await findTraffic(events, 'stored', workspaceId, draft.key, sinceMs)
  const held = await findTraffic(events, 'held', workspaceId, draft.key, sinceMs)
  const tally = new ReplayTally()
  const mappingOf = async (siteId: string) => (await registry.knowledge(workspaceId, siteId)).mapping
  for await (const past of storedTraffic(events, stored, replayEventsMax, draft, mappingOf)) {
    tally.add(past.eventId, await judge(past))
  }
  for await (const past of heldTraffic(events, held, replayEventsMax)) {
    tally.add(past.eventId, await judge(past))
  }
  return { days, found: stored.found + held.found, ...tally.result() }
}

class ReplayTally {
  #events = 0
  readonly #outcomes: Record<Outcome, number> = { accept: 0, warn: 0, quarantine: 0, reject: 0 }
  readonly #codes = new Map<string, number>()
  readonly #samples: Replay['samples'] = []
  readonly #sampled = new Map<string, number>()

  add(eventId: string, { outcome, issues }: Verdict): void {
    this.#events += 1
    this.#outcomes[outcome] += 1
    for (const code of new Set(issues.map((issue) => issue.code))) {
      this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1)
    }
    const deciding = issues.find((issue) => issue.severity === outcome)?.code
    if (deciding === undefined || this.#samples.length >= samplesMax) return
    const alike = this.#sampled.get(deciding) ?? 0
    if (alike >= samplesPerCodeMax) return
    this.#sampled.set(deciding, alike + 1)
    this.#samples.push({ event_id: eventId, outcome, issues: [...issues] })
  }

  result(): Pick<Replay, 'events' | 'outcomes' | 'codes' | 'samples'> {
    return {
      events: this.#events,
      outcomes: this.#outcomes,
      codes: Object.fromEntries(this.#codes),
      samples: this.#samples,
    }
  }
}
