import { setInterval as every } from 'node:timers'
import { isRecord } from '@assay/contract'
import type { Control } from '../../store/control.ts'
import type { Limits, Usage } from './limits.ts'

const channel = 'assay_usage'
/** How late a node may learn what another one let through; so long a caller of many nodes may be over the limit. */
const tellMs = 250
/** Postgres takes 8,000 bytes a message. */
const messageBytesMax = 7_500

/**
 * Decisions §2: with several nodes a limit is shared. Each tells the others what it let through, a few times a second
 * and only what there is to tell, so that no request waits for it. Answers the function that ends it.
 */
export async function shareLimits(control: Control, limits: Limits, nodeId: string): Promise<() => void> {
  if (!control.shared) return () => {}
  await control.listen(
    channel,
    (payload) => {
      const told = readUsage(payload)
      if (told !== null && told.from !== nodeId) limits.addUsage(told.usage)
    },
    // What was missed is let pass: a limit that is loose for a moment harms less than one that is wrong.
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

/** A node of another release may speak otherwise; it is then not understood, and no harm done. */
function readUsage(payload: string): { from: string; usage: Usage } | null {
  try {
    const told: unknown = JSON.parse(payload)
    if (!isRecord(told) || typeof told.from !== 'string' || !isRecord(told.usage)) return null
    const { minute, calls, events } = told.usage
    if (typeof minute !== 'number' || !isCounts(calls) || !isCounts(events)) return null
    return { from: told.from, usage: { minute, calls, events } }
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
