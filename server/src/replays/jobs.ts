import type { Job } from '../platform/scheduler.ts'
import type { Replays } from './replays.ts'

type Needs = {
  replays: Replays
  /** The time by which old things may be removed for good. */
  removalNowMs: () => Promise<number>
}

/** They are not shown any more in the meantime. */
const removeOldMs = 3_600_000

export function replayJobs({ replays, removalNowMs }: Needs): Job[] {
  return [[removeOldMs, 'old replays', async () => replays.forgetOld(await removalNowMs())]]
}
