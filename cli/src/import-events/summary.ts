import type { BatchResult } from '@assay/contract'

/** What became of the events so far. */
export type Summary = {
  accept: number
  warn: number
  quarantine: number
  reject: number
  duplicate: number
  unreadable: number
  /** What was wrong with how many events, by code and field; with the first id of each. */
  issues: Record<string, { events: number; message: string; eventId: string }>
}

/** More kinds than these are counted together. */
const issueKindsMax = 200

export const noSummary = (): Summary => ({
  accept: 0,
  warn: 0,
  quarantine: 0,
  reject: 0,
  duplicate: 0,
  unreadable: 0,
  issues: {},
})

export function addResults(summary: Summary, { summary: counts, results }: BatchResult): void {
  summary.accept += counts.accept
  summary.warn += counts.warn
  summary.quarantine += counts.quarantine
  summary.reject += counts.reject
  summary.duplicate += counts.duplicate
  for (const { issues, event_id, duplicate } of results) {
    if (duplicate) continue
    for (const { code, field = '', message } of issues) {
      const name = field === '' ? code : `${code} (${field})`
      const isKnown = Object.hasOwn(summary.issues, name)
      const key = isKnown || Object.keys(summary.issues).length < issueKindsMax ? name : 'other'
      const known = summary.issues[key] ?? { events: 0, message, eventId: event_id }
      summary.issues[key] = { ...known, events: known.events + 1 }
    }
  }
}

export const eventsOf = ({ accept, warn, quarantine, reject, duplicate }: Summary) =>
  accept + warn + quarantine + reject + duplicate

const issueLinesMax = 10

export function summaryLines(summary: Summary): string[] {
  const { accept, warn, quarantine, reject, duplicate, unreadable } = summary
  const worst = Object.entries(summary.issues)
    .sort(([, one], [, other]) => other.events - one.events)
    .slice(0, issueLinesMax)
  return [
    `${accept} accepted, ${warn} accepted with a warning, ${quarantine} in quarantine, ${reject} rejected, ` +
      `${duplicate} seen before, ${unreadable} lines without a record.`,
    ...worst.map(
      ([name, { events, message, eventId }]) => `  ${events} × ${name}: ${message} (such as ${eventId})`,
    ),
  ]
}
