import {
  type Anomaly,
  ApiProblem,
  type Client,
  type EventHealth,
  listAnomalies,
  listEventHealth,
  type Site,
} from '@assay/contract'
import type { CallSite } from './call-sites.ts'
import { type Check, fail, ok, unknown, warn } from './check.ts'

/** Which events of the code fail, and since which release. */
export async function checkFailing(
  client: Client,
  site: Site | null,
  sites: readonly CallSite[],
): Promise<Check[]> {
  if (sites.length === 0) return []
  try {
    const scope = site === null ? {} : { site_id: site.id }
    const { data } = await client.call(listEventHealth, { query: { ...scope, window: '7d' } })
    const anomalies = await client.call(listAnomalies, { query: { ...scope, limit: 200 } })
    const current = anomalies.data.filter(({ ended_at }) => ended_at === null)
    return checksOf(data, current, sites)
  } catch (error) {
    if (!(error instanceof ApiProblem && error.status === 403)) throw error
    return [unknown('health', 'This key may not read the health of events (health:read).')]
  }
}

/** Uses the server's own limits for when an event counts as failing. */
function checksOf(
  data: readonly EventHealth[],
  anomalies: readonly Anomaly[],
  sites: readonly CallSite[],
): Check[] {
  const called = new Set(sites.map(({ event }) => event))
  const checks = data
    .filter(({ key, status }) => called.has(key) && (status === 'failing' || status === 'degraded'))
    .map((event) => {
      const cause = anomalies.find(({ event_key }) => event_key === event.key)
      const places = sites
        .filter((site) => site.event === event.key)
        .map(({ file, line }) => `${file}:${line}`)
        .join(', ')
      const message = `${event.key} is ${event.status}${sinceOf(cause)}: ${ratesOf(event)}. Sent in ${places}.`
      const hint = cause?.issue
        ? `The issue that rose is ${cause.issue}.`
        : `See: GET /v1/health/events/${event.key}`
      return event.status === 'failing' ? fail('health', message, hint) : warn('health', message, hint)
    })
  return checks.length > 0 ? checks : [ok('health', 'No event that the code sends is failing.')]
}

function sinceOf(cause: Anomaly | undefined): string {
  if (cause === undefined) return ''
  const release = cause.suspected_cause.app_version
  const day = cause.started_at.slice(0, 10)
  return release === null ? ` since ${day}` : ` since release ${release} (${day})`
}

function ratesOf({ volume, quarantine_rate, reject_rate, warn_rate }: EventHealth): string {
  const percent = (rate: number) => `${Math.round(100 * rate)}%`
  const rates = [
    [reject_rate, 'rejected'],
    [quarantine_rate, 'held'],
    [warn_rate, 'with a warning'],
  ] as const
  const parts = rates.filter(([rate]) => rate > 0).map(([rate, word]) => `${percent(rate)} ${word}`)
  return `of ${volume} events in 7 days ${parts.join(', ') || 'all passed'}`
}
