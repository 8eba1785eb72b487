import { type Call, type Client, type Outcome, outcomes, printedText, validateEvents } from '@assay/contract'
import { readBatches } from './batches.ts'
import type { Columns } from './records.ts'
import type { ToolName } from './tools.ts'

type TrialRow = {
  sent: string
  stored: string
  events: number
  outcome: Outcome
  issue: string
}

/** What the first events would become; nothing is stored. */
export async function tryFirst(
  client: Client,
  tool: ToolName,
  files: readonly string[],
  columns: Columns,
  siteId: string | undefined,
): Promise<{ rows: TrialRow[]; example: Call | null; unreadable: number }> {
  const { value: batch } = await readBatches(tool, files, columns, 0).next()
  if (batch === undefined) return { rows: [], example: null, unreadable: 0 }
  // An alias is about two ids, and has no verdict of its own.
  const calls = batch.calls
    .filter(({ type }: Call) => type !== 'alias')
    .map((call: Call) => ({ ...call, historical: true }))
  const body = { batch: calls, ...(siteId !== undefined && { site_id: siteId }) }
  const { results } = await client.call(validateEvents, { body })
  // bounded: by the events of one batch.
  const rows = new Map<string, TrialRow>()
  for (const { index, name, outcome, issues } of results) {
    const sent = nameOf(calls[index] ?? {})
    const known = rows.get(sent) ?? { sent, stored: name, events: 0, outcome, issue: '' }
    const isWorse = outcomes.indexOf(outcome) > outcomes.indexOf(known.outcome)
    const issue = known.issue === '' || isWorse ? (issues[0]?.message ?? known.issue) : known.issue
    rows.set(sent, { ...known, events: known.events + 1, outcome: isWorse ? outcome : known.outcome, issue })
  }
  const byCount = [...rows.values()].sort((one, other) => other.events - one.events)
  return { rows: byCount, example: batch.calls[0] ?? null, unreadable: batch.unreadable }
}

const nameOf = ({ event, type }: Call) => (typeof event === 'string' ? event : `${printedText(type)}()`)
