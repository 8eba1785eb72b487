import { text } from '../text.ts'
import type { AreaName, SectionName } from './areas.ts'
import { type LoadedPage, page } from './load-page.ts'
import type { PageProps } from './page-props.ts'
import type { RangeKind } from './range.ts'

export type PageEntry = {
  path: string
  title: string
  area: AreaName
  /** The part of the settings that it stands in. */
  section?: SectionName
  View: LoadedPage<PageProps>
  /** What of the time its numbers go by: the last days, any days and a time zone, or a comparison as well. */
  range?: RangeKind
}

/** Every page, loaded on demand; the first of an area is where its place leads. */
const pages: readonly PageEntry[] = [
  {
    path: 'overview',
    title: text.pages.overview,
    area: 'home',
    range: 'comparison',
    View: page(() => import('../pages/overview/overview.tsx')),
  },
  {
    path: 'sites',
    title: text.pages.allSites,
    area: 'home',
    range: 'days',
    View: page(() => import('../pages/sites/all-sites.tsx')),
  },
  {
    path: 'live',
    title: text.pages.live,
    area: 'home',
    View: page(() => import('../pages/events/live.tsx')),
  },
  {
    path: 'explore',
    title: text.pages.explore,
    area: 'explore',
    range: 'anyComparison',
    View: page(() => import('../pages/explore/explore.tsx')),
  },
  {
    path: 'reports',
    title: text.pages.reports,
    area: 'explore',
    View: page(() => import('../pages/explore/reports.tsx')),
  },
  {
    path: 'sql',
    title: text.pages.sql,
    area: 'explore',
    range: 'days',
    View: page(() => import('../pages/sql/sql.tsx')),
  },
  {
    path: 'boards',
    title: text.pages.boards,
    area: 'boards',
    View: page(() => import('../pages/boards/boards.tsx')),
  },
  {
    path: 'alerts',
    title: text.pages.alerts,
    area: 'boards',
    View: page(() => import('../pages/alerts/alerts.tsx')),
  },
  {
    path: 'digests',
    title: text.pages.digests,
    area: 'boards',
    View: page(() => import('../pages/digests/digests.tsx')),
  },
  {
    path: 'funnels',
    title: text.pages.funnels,
    area: 'paths',
    range: 'days',
    View: page(() => import('../pages/funnels/funnels.tsx')),
  },
  {
    path: 'flow',
    title: text.pages.flow,
    area: 'paths',
    range: 'days',
    View: page(() => import('../pages/flow/flow.tsx')),
  },
  {
    path: 'retention',
    title: text.pages.retention,
    area: 'paths',
    range: 'days',
    View: page(() => import('../pages/retention/retention.tsx')),
  },
  {
    path: 'attribution',
    title: text.pages.attribution,
    area: 'paths',
    range: 'days',
    View: page(() => import('../pages/attribution/attribution.tsx')),
  },
  {
    path: 'errors',
    title: text.pages.errors,
    area: 'errors',
    range: 'window',
    View: page(() => import('../pages/errors/errors.tsx')),
  },
  {
    path: 'drift',
    title: text.pages.drift,
    area: 'errors',
    View: page(() => import('../pages/drift/drift.tsx')),
  },
  {
    path: 'replays',
    title: text.pages.replays,
    area: 'errors',
    View: page(() => import('../pages/replays/replays.tsx')),
  },
  {
    path: 'event-health',
    title: text.pages.eventHealth,
    area: 'quality',
    View: page(() => import('../pages/event-health/event-health.tsx')),
  },
  {
    path: 'quarantine',
    title: text.pages.quarantine,
    area: 'quality',
    View: page(() => import('../pages/quarantine/quarantine.tsx')),
  },
  {
    path: 'registry',
    title: text.pages.registry,
    area: 'quality',
    View: page(() => import('../pages/registry/registry.tsx')),
  },
  {
    path: 'events',
    title: text.pages.catalog,
    area: 'quality',
    View: page(() => import('../pages/events/catalog.tsx')),
  },
  {
    path: 'receipts',
    title: text.pages.receipts,
    area: 'quality',
    View: page(() => import('../pages/events/receipts.tsx')),
  },
  {
    path: 'site-health',
    title: text.pages.siteHealth,
    area: 'quality',
    View: page(() => import('../pages/site-health/site-health.tsx')),
  },
  {
    path: 'dead-letters',
    title: text.pages.deadLetters,
    area: 'quality',
    View: page(() => import('../pages/dead-letters/dead-letters.tsx')),
  },
  {
    path: 'packs',
    title: text.pages.packs,
    area: 'quality',
    View: page(() => import('../pages/registry/packs.tsx')),
  },
  {
    path: 'code',
    title: text.pages.code,
    area: 'quality',
    View: page(() => import('../pages/registry/code.tsx')),
  },
  {
    path: 'people',
    title: text.pages.people,
    area: 'people',
    View: page(() => import('../pages/people/people.tsx')),
  },
  {
    path: 'audiences',
    title: text.pages.audiences,
    area: 'people',
    View: page(() => import('../pages/audiences/audiences.tsx')),
  },
  {
    path: 'ledger',
    title: text.pages.ledger,
    area: 'people',
    View: page(() => import('../pages/people/ledger.tsx')),
  },
  {
    path: 'requests',
    title: text.pages.requests,
    area: 'people',
    View: page(() => import('../pages/requests/requests.tsx')),
  },
  {
    path: 'settings/sites',
    title: text.pages.sites,
    area: 'settings',
    section: 'site',
    View: page(() => import('../pages/settings/sites.tsx')),
  },
  {
    path: 'start',
    title: text.pages.start,
    area: 'settings',
    section: 'site',
    View: page(() => import('../pages/start/start.tsx')),
  },
  {
    path: 'settings/goals',
    title: text.pages.goals,
    area: 'settings',
    section: 'site',
    View: page(() => import('../pages/goals/goals.tsx')),
  },
  {
    path: 'settings/annotations',
    title: text.pages.annotations,
    area: 'settings',
    section: 'site',
    View: page(() => import('../pages/annotations/annotations.tsx')),
  },
  {
    path: 'settings/shares',
    title: text.pages.shares,
    area: 'settings',
    section: 'site',
    View: page(() => import('../pages/shares/shares.tsx')),
  },
  {
    path: 'settings/retention',
    title: text.pages.dataRetention,
    area: 'settings',
    section: 'site',
    View: page(() => import('../pages/settings/data-retention.tsx')),
  },
  {
    path: 'settings/rates',
    title: text.pages.rates,
    area: 'settings',
    section: 'site',
    View: page(() => import('../pages/settings/rates.tsx')),
  },
  {
    path: 'settings/mappings',
    title: text.pages.mappings,
    area: 'settings',
    section: 'site',
    View: page(() => import('../pages/mappings/mappings.tsx')),
  },
  {
    path: 'settings/error-rules',
    title: text.pages.errorRules,
    area: 'settings',
    section: 'site',
    View: page(() => import('../pages/errors/rules.tsx')),
  },
  {
    path: 'settings/members',
    title: text.pages.members,
    area: 'settings',
    section: 'workspace',
    View: page(() => import('../pages/settings/members.tsx')),
  },
  {
    path: 'settings/api-keys',
    title: text.pages.apiKeys,
    area: 'settings',
    section: 'workspace',
    View: page(() => import('../pages/settings/api-keys.tsx')),
  },
  {
    path: 'settings/usage',
    title: text.pages.usage,
    area: 'settings',
    section: 'workspace',
    View: page(() => import('../pages/settings/usage.tsx')),
  },
  {
    path: 'settings/audit',
    title: text.pages.audit,
    area: 'settings',
    section: 'workspace',
    View: page(() => import('../pages/settings/audit.tsx')),
  },
  {
    path: 'settings/webhooks',
    title: text.pages.webhooks,
    area: 'settings',
    section: 'connections',
    View: page(() => import('../pages/settings/webhooks.tsx')),
  },
  {
    path: 'settings/destinations',
    title: text.pages.destinations,
    area: 'settings',
    section: 'connections',
    View: page(() => import('../pages/destinations/destinations.tsx')),
  },
  {
    path: 'settings/sessions',
    title: text.pages.sessions,
    area: 'settings',
    section: 'account',
    View: page(() => import('../pages/settings/sessions.tsx')),
  },
]

/** The page whose path is the URL or its beginning. */
export function matchPage(path: string): { entry: PageEntry; rest: string } | null {
  const fitting = pages.filter((page) => path === page.path || path.startsWith(`${page.path}/`))
  const entry = fitting.sort((a, b) => b.path.length - a.path.length)[0]
  return entry === undefined ? null : { entry, rest: path.slice(entry.path.length + 1) }
}

export function pagesOf(area: AreaName): readonly PageEntry[] {
  return pages.filter((entry) => entry.area === area)
}
