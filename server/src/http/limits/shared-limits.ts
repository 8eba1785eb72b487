import { setInterval as every } from 'node:timers'
import { isRecord } from '@assay/contract'
import type { Control } from '../../store/control.ts'
import type { Limits, Usage } from './limits.ts'

const channel = 'assay_usage'
/**
 * How late a node learns what another one accepted; for so long a caller of many nodes may exceed the limit.
 */
const tellMs = 250
/** Postgres accepts 8,000 bytes per message. */
const messageBytesMax = 7_500

/**
 * Decisions §2: several nodes share a limit. Each publishes what it accepted, a few times per second and only
 * if there is something, so that no request waits. Returns the function that stops it.
 */
export async function shareLimits(control: Control, limits: Limits, nodeId: string): Promise<() => void> {
  if (!control.shared) return () => {}
  await control.listen(
    channel,
    (payload) => {
      const message = readUsage(payload)
      if (message !== null && message.from !== nodeId) limits.addUsage(message.usage)
    },
    // Missed messages are ignored: a limit that is loose for a moment is better than a wrong one.
    () => {},
  )
  const timer = every(() => {
    for (const message of messagesOf(nodeId, limits.takeUsage())) {
      control.notify(channel, message).catch(() => {})
    }
  }, tellMs)
  timer.unref()
  return () => clearInterval(timer)
}

function messagesOf(from: string, usage: Usage): string[] {
  const { minute, calls, events } = usage
  if (calls.length === 0 && events.length === 0) return []
  const message = JSON.stringify({ from, usage })
  if (Buffer.byteLength(message) <= messageBytesMax) return [message]
  const halves = <T>(list: T[]): [T[], T[]] => [list.slice(0, list.length >> 1), list.slice(list.length >> 1)]
  // One entry alone is far below the limit, so this ends.
  const [firstCalls, lastCalls] = halves(calls)
  const [firstEvents, lastEvents] = halves(events)
  return [
    ...messagesOf(from, { minute, calls: firstCalls, events: firstEvents }),
    ...messagesOf(from, { minute, calls: lastCalls, events: lastEvents }),
  ]
}

/** A node of another release may use another format, which is ignored. */
function readUsage(payload: string): { from: string; usage: Usage } | null {
  try {
    const message: unknown = JSON.parse(payload)
    if (!isRecord(message) || typeof message.from !== 'string' || !isRecord(message.usage)) return null
    const { minute, calls, events } = message.usage
    if (typeof minute !== 'number' || !isCounts(calls) || !isCounts(events)) return null
    return { from: message.from, usage: { minute, calls, events } }
  } catch {
    return null
  }
}

function isCounts(value: unknown): value is [string, number][] {
  return (
    Array.isArray(value) &&
    value.every((entry) => Array.isArray(entry) && typeof entry[0] === 'string' && Number.isFinite(entry[1]))
  )
}
