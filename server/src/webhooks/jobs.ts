import type { Job } from '../platform/scheduler.ts'
import type { Webhooks } from './webhooks.ts'

/** Orders that wait for their subscription are counted some minutes late anyway. */
const tendMs = 60_000

export function webhookJobs({ webhooks }: { webhooks: Webhooks }): Job[] {
  return [[tendMs, 'waiting webhooks', (onFailure) => webhooks.receiving.tend(onFailure)]]
}
