import { type AttributionPolicy, type ConsentInForce, consentFor, nothingStated } from '@assay/contract'
import { dayMs } from '../../platform/units.ts'
import { layersOf } from '../../registry/backfills/superseded-sites.ts'
import type { SiteRow } from '../../sites/sites.ts'
import { eventSource } from '../../store/event-source.ts'
import { type ConsentAtRow, selectConsentsOf, selectTrustedKeys } from '../computation/day-store.ts'
import { addDays, startMs } from '../computation/days.ts'
import type { Context } from '../context.ts'
import { type OutcomeFilter, type OutcomeRow, selectOutcomes } from './outcome-store.ts'
import { type Classify, type Consideration, consider, type Touch } from './touch.ts'
import { type DayRun, selectTouches } from './touch-store.ts'

export type Assembled = { outcome: OutcomeRow; people: string[] } & Consideration

/** People whose touchpoints are read together: their ids are part of the statement. */
const peopleAtOnce = { first: 4_000, most: 8_000 }
/** Touchpoints in memory: about 100 MB. */
const touchesAtOnce = 200_000
/** Distinct facts whose channel is cached; a few megabytes. */
const namesKept = 50_000

/** Events of a site with their back-fills; the mapping of people is looked up separately. */
export async function sourceOf(
  context: Pick<Context, 'overlays' | 'superseded'>,
  { workspace_id: workspaceId, id: siteId }: SiteRow,
  range: { fromMs: number; toMs: number },
) {
  const layers = await layersOf(context, workspaceId, siteId)
  return eventSource({ ...layers, hasMerges: false }, { workspaceId, siteId, ...range })
}

export async function readOutcomes(
  context: Context,
  sites: readonly SiteRow[],
  policy: AttributionPolicy,
  range: { fromMs: number; toMs: number },
  which: Pick<OutcomeFilter, 'eventId' | 'page'> = {},
): Promise<OutcomeRow[]> {
  const found: OutcomeRow[] = []
  for (const site of sites) {
    const workspaceId = site.workspace_id
    const trustedKeys =
      policy.outcome_source === 'server' ? await selectTrustedKeys(context.control, workspaceId) : null
    const source = await sourceOf(context, site, range)
    const filter = { workspaceId, siteId: site.id, ...range, names: policy.outcome_events, trustedKeys }
    // Too many to be the arguments of one call.
    for (const row of await selectOutcomes(context.events, source, { ...filter, ...which })) found.push(row)
  }
  return found
}

/** Outcomes of consecutive days with the touchpoints that share each; in portions that fit into memory. */
export async function* assemble(
  context: Context,
  workspaceId: string,
  policy: AttributionPolicy,
  days: readonly string[],
  touchRuns: readonly DayRun[],
): AsyncGenerator<Assembled[]> {
  const [firstDay = '', last = ''] = [days[0], days.at(-1)]
  const sites = await context.sitesOf(workspaceId)
  const range = { fromMs: startMs(firstDay), toMs: startMs(last) + dayMs }
  const outcomes = await readOutcomes(context, sites, policy, range)
  if (outcomes.length === 0) return
  const byOwner = Map.groupBy(outcomes, ({ owner_id }) => owner_id)
  const owners = [...byOwner.keys()]
  // One day more, for a session that started before midnight.
  const since = addDays(firstDay, -policy.lookback_days - 1)
  const runs = touchRuns.filter(({ day }) => day >= since && day <= last)
  const consented = await consentOf(context, workspaceId, policy, sites, owners)
  const naming = { classify: remembering(context.classify) }
  let next = peopleAtOnce.first
  for (let first = 0; first < owners.length; ) {
    const people = owners.slice(first, first + next)
    first += people.length
    const touchesOf = await selectTouches(context.events, workspaceId, runs, people)
    const touches = [...touchesOf.values()].reduce((sum, { length }) => sum + length, 0)
    next = Math.ceil(Math.min(peopleAtOnce.most, (touchesAtOnce * people.length) / Math.max(1, touches)))
    yield people.flatMap((owner) => {
      const own = touchesOf.get(owner)
      const isConsented = own === undefined ? () => true : consented(owner)
      return (byOwner.get(owner) ?? []).map((outcome) =>
        assembleOne(naming, policy, outcome, own ?? [], isConsented),
      )
    })
  }
}

/**
 * Thousands of touchpoints have the same few facts, and rules are slow. Cached for one read of one policy.
 */
function remembering(classify: Classify): Classify {
  const known = new Map<string, ReturnType<Classify>>()
  return (facts, rules) => {
    const { referrerHost, utmSource, utmMedium, utmCampaign, clickIdType } = facts
    const key = [referrerHost, utmSource, utmMedium, utmCampaign, clickIdType].join('\u0001')
    const found = known.get(key) ?? classify(facts, rules)
    if (known.size < namesKept) known.set(key, found)
    return found
  }
}

export function assembleOne(
  { classify }: Pick<Context, 'classify'>,
  policy: AttributionPolicy,
  outcome: OutcomeRow,
  touches: readonly Touch[],
  isConsented: (touch: Touch) => boolean,
): Assembled {
  const found = consider(Number(outcome.ms), touches, policy, classify, isConsented)
  const originals = found.considered.map(({ originalId }) => originalId)
  return { outcome, people: [...new Set([outcome.owner_id, outcome.original_id, ...originals])], ...found }
}

/** Whether a person had granted what the policy requires at the time of a touchpoint. */
export async function consentOf(
  { control }: Pick<Context, 'control'>,
  workspaceId: string,
  { consent_required: category }: AttributionPolicy,
  sites: readonly SiteRow[],
  owners: readonly string[],
): Promise<(owner: string) => (touch: Touch) => boolean> {
  if (category === null) return () => () => true
  const rows = await selectConsentsOf(control, workspaceId, owners)
  const byOwner = Map.groupBy(rows, ({ owner_id }) => owner_id)
  const regimes = new Map(sites.map((site) => [site.id, site.consent_regime]))
  return (owner) => (touch) => {
    const records = validAt(byOwner.get(owner) ?? [], touch.ms)
    const regime = regimes.get(touch.siteId) ?? null
    // A touchpoint of a site with a regime passed the gate, which checked the event itself, too.
    if (records.length === 0 && category === 'analytics_storage') return true
    return consentFor(category, { regime, records, ofEvent: nothingStated, gpc: false }) === 'granted'
  }
}

function validAt(rows: readonly ConsentAtRow[], ms: number): ConsentInForce[] {
  const last = rows.findLast(({ effective_at }) => effective_at.getTime() <= ms)
  if (last === undefined || (last.expires_at !== null && last.expires_at.getTime() <= ms)) return []
  return [{ recordId: last.id, stated: last.stated, gpc: last.gpc }]
}
