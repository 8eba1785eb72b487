import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

/** The tools whose exports are made. */
export const historyTools = ['posthog', 'ga4'] as const
export type HistoryTool = (typeof historyTools)[number]

/** What a report must say of a file, counted while it was written. */
export type HistoryCounts = {
  visitors: number
  sessions: number
  pageviews: number
  events: number
  revenue: number
}

type HistoryEvent = { visitor: string; atMs: number; number: number; page: string; amount: number | null }

const sessionsPerVisitor = 2
const eventsPerSession = 10
const secondMs = 1_000
const dayMs = 86_400_000
/** So that sessions of a visitor are days apart, and all of them within four weeks. */
const [firstDays, betweenDays] = [26, 9]
const linesPerWrite = 5_000

/**
 * Visitors with two sessions of ten events: nine pages and, in every tenth session, an order instead of the last one.
 * Plain arithmetic on purpose, so that the counts need no other code than this.
 */
function* historyOf(events: number, nowMs: number): Generator<HistoryEvent> {
  for (let number = 0; number < events; number++) {
    const session = Math.floor(number / eventsPerSession)
    const visitor = Math.floor(session / sessionsPerVisitor)
    const isLast = number % eventsPerSession === eventsPerSession - 1
    const daysAgo = firstDays - (session % sessionsPerVisitor) * betweenDays
    const spreadMs = ((visitor * 7_919) % 80_000) * secondMs
    yield {
      visitor: `v${visitor}`,
      atMs: nowMs - daysAgo * dayMs + spreadMs + (number % eventsPerSession) * 10 * secondMs,
      number,
      page: `https://shop.example/p/${number % 200}`,
      amount: isLast && session % 10 === 0 ? 10 + (session % 90) : null,
    }
  }
}

const lineOf: Readonly<Record<HistoryTool, (event: HistoryEvent) => object>> = {
  posthog: ({ visitor, atMs, number, page, amount }) => ({
    uuid: `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`,
    event: amount === null ? '$pageview' : 'Order Completed',
    distinct_id: visitor,
    timestamp: new Date(atMs).toISOString(),
    properties: {
      $current_url: page,
      ...(amount !== null && { revenue: amount, currency: 'EUR', order_id: `o${number}` }),
    },
  }),
  ga4: ({ visitor, atMs, number, page, amount }) => ({
    event_name: amount === null ? 'page_view' : 'purchase',
    event_timestamp: String(atMs * 1_000),
    user_pseudo_id: visitor,
    batch_event_index: number,
    event_params: [
      { key: 'page_location', value: { string_value: page } },
      { key: 'page_title', value: { string_value: 'Product' } },
      ...(amount === null ? [] : [{ key: 'currency', value: { string_value: 'EUR' } }]),
    ],
    ...(amount !== null && { ecommerce: { transaction_id: `o${number}`, purchase_revenue: amount } }),
  }),
}

/** Writes an export of a tool and answers what is in it. */
export async function writeHistory(
  path: string,
  tool: HistoryTool,
  events: number,
  nowMs: number,
): Promise<HistoryCounts> {
  const file = createWriteStream(path)
  const counts = { visitors: 0, sessions: 0, pageviews: 0, events: 0, revenue: 0 }
  let lines: string[] = []
  let last = { visitor: '', atMs: 0 }
  for (const event of historyOf(events, nowMs)) {
    const isNewVisitor = event.visitor !== last.visitor
    counts.visitors += isNewVisitor ? 1 : 0
    counts.sessions += isNewVisitor || event.atMs - last.atMs > dayMs ? 1 : 0
    counts.pageviews += event.amount === null ? 1 : 0
    counts.revenue += event.amount ?? 0
    counts.events++
    last = event
    lines.push(JSON.stringify(lineOf[tool](event)))
    if (lines.length < linesPerWrite) continue
    if (!file.write(`${lines.join('\n')}\n`)) await once(file, 'drain')
    lines = []
  }
  file.end(lines.length === 0 ? '' : `${lines.join('\n')}\n`)
  await once(file, 'finish')
  return counts
}
