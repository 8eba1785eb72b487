import { type Client, DataQuality, getOverview, listSites, Metrics, Period } from '@assay/contract'
import { Type } from 'typebox'
import { tool } from '../tool.ts'

/** Rows per breakdown; the rest is one call of /api/analytics/overview away. */
const shownMax = 5

const Top = Type.Array(Type.Object({ key: Type.String(), visitors: Type.Integer(), events: Type.Integer() }))

export const readOverview = tool({
  name: 'read_overview',
  title: 'Read the overview of a site',
  description:
    'Visitors, sessions, conversions and revenue of a site in a period and in the one before it, the top pages, ' +
    'sources and events, and how many events were warned, quarantined or rejected. Without site_id the first site.',
  input: Type.Object(
    {
      site_id: Type.Optional(Type.String({ maxLength: 64, description: 'From list_sites' })),
      window: Type.Optional(
        Type.String({
          pattern: '^[1-9][0-9]{0,2}[hd]$',
          default: '30d',
          description: 'Days of the calendar with today, such as 7d, or hours up to now, such as 24h',
        }),
      ),
      from: Type.Optional(
        Type.String({ maxLength: 40, description: 'RFC 3339 or a date, instead of window' }),
      ),
      to: Type.Optional(Type.String({ maxLength: 40 })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    site_id: Type.String(),
    period: Period,
    metrics: Metrics,
    previous: Metrics,
    top: Type.Object({ pages: Top, sources: Top, countries: Top, devices: Top, events: Top }),
    data_quality: DataQuality,
  }),
  effect: 'reads',
  async run({ site_id, ...period }, { client }) {
    const siteId = site_id ?? (await firstSite(client))
    const overview = await client.call(getOverview, { query: { siteId, ...period } })
    const { pages, sources, countries, devices, events } = overview.breakdowns
    const top = (rows: typeof pages) =>
      rows.slice(0, shownMax).map(({ key, visitors, events: count }) => ({ key, visitors, events: count }))
    return {
      site_id: siteId,
      period: overview.period,
      metrics: overview.metrics,
      previous: overview.previous.metrics,
      top: {
        pages: top(pages),
        sources: top(sources),
        countries: top(countries),
        devices: top(devices),
        events: top(events),
      },
      data_quality: overview.dataQuality,
    }
  },
})

export async function firstSite(client: Client): Promise<string> {
  const { data } = await client.call(listSites, { query: { limit: 1 } })
  const [site] = data
  if (site === undefined) throw new Error('The workspace has no site yet. Create one in the dashboard.')
  return site.id
}

export const listAllSites = tool({
  name: 'list_sites',
  title: 'List sites',
  description: 'The sites of the workspace with id, domain, time zone, currency and consent regime.',
  input: Type.Object(
    {
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20 })),
      cursor: Type.Optional(
        Type.String({ maxLength: 200, description: 'next_cursor of the previous answer' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    sites: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        domain: Type.String(),
        timezone: Type.String(),
        currency: Type.Union([Type.String(), Type.Null()]),
        consentRegime: Type.Union([Type.String(), Type.Null()]),
      }),
    ),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  }),
  effect: 'reads',
  async run({ limit = 20, cursor }, { client }) {
    const page = await client.call(listSites, { query: { limit, ...(cursor !== undefined && { cursor }) } })
    const sites = page.data.map(({ id, name, domain, timezone, currency, consentRegime }) => {
      return { id, name, domain, timezone, currency, consentRegime }
    })
    return { sites, next_cursor: page.nextCursor }
  },
})
