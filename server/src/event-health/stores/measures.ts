/**
 * Health is about what was sent: verdicts are counted on arrival, and events are read as they were stored, without
 * what back-fills or merges make of them later.
 */
export type HealthScope = { workspaceId: string; siteIds: readonly string[] }
export type Span = { fromMs: number; toMs: number }

export const hour = (parameter: string) => `toDateTime(intDiv({${parameter}:Int64}, 1000), 'UTC')`
export const time = (parameter: string) => `fromUnixTimestamp64Milli({${parameter}:Int64}, 'UTC')`
export const mine = 'workspace_id = {workspaceId:String} AND site_id IN {siteIds:Array(String)}'
/** What came more than a day late waited in a device that was off; that says nothing of the way. */
const latencyMsMax = 86_400_000
export const latency = 'greatest(0, toUnixTimestamp64Milli(received_at) - toUnixTimestamp64Milli(ts))'
/** Nor does what was brought in later: imports, events marked as historical, the demo. */
export const isTimed = `endpoint != 'import' AND ${latency} < ${latencyMsMax}`
export const p95 = `quantileTDigestIf(0.95)(${latency}, ${isTimed})`
