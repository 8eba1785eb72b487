import {
  FunnelDropOff,
  FunnelStep,
  funnelStepsMax,
  getSiteHealth,
  listFunnels,
  Period,
  queryDropOff,
  SiteHealth,
} from '@assay/contract'
import { Type } from 'typebox'
import { tool } from '../tool.ts'
import { firstSite } from './read-overview.ts'

const siteId = Type.Optional(
  Type.String({ maxLength: 64, description: 'From list_sites; the first site otherwise' }),
)
const window = Type.Optional(
  Type.String({
    pattern: '^[1-9][0-9]{0,2}[hd]$',
    default: '30d',
    description: 'Days of the calendar with today, such as 7d, or hours up to now, such as 24h',
  }),
)
/** The most informative first; the rest is one call of /api/analytics/funnels away. */
const funnelsDefault = 5
const funnelsMax = 20

export const readFunnels = tool({
  name: 'read_funnels',
  title: 'Read the funnels of a site',
  description:
    'Paths that visitors take towards a purchase, a sign-up or another goal, found in their sessions: steps ' +
    'with how many continue, the conversion now and in the previous period, and why it was found. Empty if too few ' +
    'sessions took the same path.',
  input: Type.Object(
    {
      site_id: siteId,
      window,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: funnelsMax, default: funnelsDefault })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    site_id: Type.String(),
    period: Period,
    sessions: Type.Integer({ description: 'Sessions examined' }),
    found: Type.Integer({ description: 'Number of funnels' }),
    funnels: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        kind: Type.String(),
        steps: Type.Array(Type.String({ description: 'label: sessions' })),
        matches: Type.Array(FunnelStep, { description: 'The same steps for read_drop_off' }),
        conversion_rate: Type.Number(),
        previous_conversion_rate: Type.Union([Type.Number(), Type.Null()]),
        why: Type.String(),
      }),
    ),
  }),
  effect: 'reads',
  async run({ site_id, window, limit = funnelsDefault }, { client }) {
    const site = site_id ?? (await firstSite(client))
    const query = { siteId: site, ...(window !== undefined && { window }) }
    const { period, sessions, funnels } = await client.call(listFunnels, { query })
    return {
      site_id: site,
      period,
      sessions,
      found: funnels.length,
      funnels: funnels.slice(0, limit).map((funnel) => ({
        id: funnel.id,
        name: funnel.name,
        kind: funnel.kind,
        steps: funnel.steps.map((step) => `${step.label}: ${step.entered}`),
        matches: funnel.steps.map((step) => step.match),
        conversion_rate: funnel.conversionRate,
        previous_conversion_rate: funnel.previous.conversionRate,
        why: funnel.why,
      })),
    }
  },
})

export const readDropOff = tool({
  name: 'read_drop_off',
  title: 'Read where people went instead of the next step',
  description:
    'Of a funnel given by its steps: what those sessions did next that took one step and not the one after, as the ' +
    'ten most frequent pages or events, the rest, and how many left the site. The three add up to dropOff.',
  input: Type.Object(
    {
      site_id: siteId,
      window,
      steps: Type.Array(FunnelStep, { minItems: 2, maxItems: funnelStepsMax }),
      step: Type.Integer({
        minimum: 1,
        maximum: funnelStepsMax - 1,
        description: 'From 1; any but the last',
      }),
    },
    { additionalProperties: false },
  ),
  output: FunnelDropOff,
  effect: 'reads',
  async run({ site_id, window: asked, steps, step }, { client }) {
    const site = site_id ?? (await firstSite(client))
    const body = { siteId: site, steps, step, ...(asked !== undefined && { window: asked }) }
    return client.call(queryDropOff, { body })
  },
})

export const readHealth = tool({
  name: 'read_health',
  title: 'Read the health of a site',
  description:
    'A score with what it is made of: tracking integrity, freshness, errors, performance, stability of conversions; ' +
    'each with its evidence and what to do. Null means that there is no data, not that it is bad.',
  input: Type.Object({ site_id: siteId }, { additionalProperties: false }),
  output: SiteHealth,
  effect: 'reads',
  run: async ({ site_id }, { client }) =>
    client.call(getSiteHealth, { query: { siteId: site_id ?? (await firstSite(client)) } }),
})
