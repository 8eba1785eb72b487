import type { ComponentType } from 'react'
import { text } from '../text.ts'
import { page } from './load-page.ts'
import type { PageProps } from './page-props.ts'

export const groups = ['reports', 'events', 'people', 'settings'] as const

export type PageEntry = {
  path: string
  title: string
  group: (typeof groups)[number]
  View: ComponentType<PageProps>
  /** What of the time its numbers go by: the last days, any days and a time zone, or a comparison as well. */
  range?: 'window' | 'days' | 'comparison'
}

/** Every page, loaded on demand. */
export const pages: readonly PageEntry[] = [
  {
    path: 'overview',
    title: text.pages.overview,
    group: 'reports',
    range: 'comparison',
    View: page(() => import('../pages/overview/overview.tsx')),
  },
  {
    path: 'explore',
    title: text.pages.explore,
    group: 'reports',
    range: 'comparison',
    View: page(() => import('../pages/explore/explore.tsx')),
  },
  {
    path: 'reports',
    title: text.pages.reports,
    group: 'reports',
    View: page(() => import('../pages/explore/reports.tsx')),
  },
  {
    path: 'funnels',
    title: text.pages.funnels,
    group: 'reports',
    range: 'days',
    View: page(() => import('../pages/funnels/funnels.tsx')),
  },
  {
    path: 'flow',
    title: text.pages.flow,
    group: 'reports',
    range: 'days',
    View: page(() => import('../pages/flow/flow.tsx')),
  },
  {
    path: 'retention',
    title: text.pages.retention,
    group: 'reports',
    range: 'days',
    View: page(() => import('../pages/retention/retention.tsx')),
  },
  {
    path: 'attribution',
    title: text.pages.attribution,
    group: 'reports',
    range: 'days',
    View: page(() => import('../pages/attribution/attribution.tsx')),
  },
  {
    path: 'errors',
    title: text.pages.errors,
    group: 'reports',
    range: 'window',
    View: page(() => import('../pages/errors/errors.tsx')),
  },
  {
    path: 'site-health',
    title: text.pages.siteHealth,
    group: 'reports',
    View: page(() => import('../pages/site-health/site-health.tsx')),
  },
  {
    path: 'event-health',
    title: text.pages.eventHealth,
    group: 'reports',
    View: page(() => import('../pages/event-health/event-health.tsx')),
  },
  {
    path: 'drift',
    title: text.pages.drift,
    group: 'reports',
    View: page(() => import('../pages/drift/drift.tsx')),
  },
  {
    path: 'live',
    title: text.pages.live,
    group: 'events',
    View: page(() => import('../pages/events/live.tsx')),
  },
  {
    path: 'events',
    title: text.pages.catalog,
    group: 'events',
    View: page(() => import('../pages/events/catalog.tsx')),
  },
  {
    path: 'receipts',
    title: text.pages.receipts,
    group: 'events',
    View: page(() => import('../pages/events/receipts.tsx')),
  },
  {
    path: 'quarantine',
    title: text.pages.quarantine,
    group: 'events',
    View: page(() => import('../pages/quarantine/quarantine.tsx')),
  },
  {
    path: 'dead-letters',
    title: text.pages.deadLetters,
    group: 'events',
    View: page(() => import('../pages/dead-letters/dead-letters.tsx')),
  },
  {
    path: 'registry',
    title: text.pages.registry,
    group: 'events',
    View: page(() => import('../pages/registry/registry.tsx')),
  },
  {
    path: 'packs',
    title: text.pages.packs,
    group: 'events',
    View: page(() => import('../pages/registry/packs.tsx')),
  },
  {
    path: 'code',
    title: text.pages.code,
    group: 'events',
    View: page(() => import('../pages/registry/code.tsx')),
  },
  {
    path: 'people',
    title: text.pages.people,
    group: 'people',
    View: page(() => import('../pages/people/people.tsx')),
  },
  {
    path: 'ledger',
    title: text.pages.ledger,
    group: 'people',
    View: page(() => import('../pages/people/ledger.tsx')),
  },
  {
    path: 'replays',
    title: text.pages.replays,
    group: 'people',
    View: page(() => import('../pages/replays/replays.tsx')),
  },
  {
    path: 'audiences',
    title: text.pages.audiences,
    group: 'people',
    View: page(() => import('../pages/audiences/audiences.tsx')),
  },
  {
    path: 'requests',
    title: text.pages.requests,
    group: 'people',
    View: page(() => import('../pages/requests/requests.tsx')),
  },
  {
    path: 'settings/api-keys',
    title: text.pages.apiKeys,
    group: 'settings',
    View: page(() => import('../pages/settings/api-keys.tsx')),
  },
  {
    path: 'settings/mappings',
    title: text.pages.mappings,
    group: 'settings',
    View: page(() => import('../pages/mappings/mappings.tsx')),
  },
  {
    path: 'settings/webhooks',
    title: text.pages.webhooks,
    group: 'settings',
    View: page(() => import('../pages/settings/webhooks.tsx')),
  },
  {
    path: 'settings/destinations',
    title: text.pages.destinations,
    group: 'settings',
    View: page(() => import('../pages/destinations/destinations.tsx')),
  },
  {
    path: 'settings/sites',
    title: text.pages.sites,
    group: 'settings',
    View: page(() => import('../pages/settings/sites.tsx')),
  },
  {
    path: 'settings/retention',
    title: text.pages.dataRetention,
    group: 'settings',
    View: page(() => import('../pages/settings/data-retention.tsx')),
  },
  {
    path: 'settings/error-rules',
    title: text.pages.errorRules,
    group: 'settings',
    View: page(() => import('../pages/errors/rules.tsx')),
  },
  {
    path: 'settings/rates',
    title: text.pages.rates,
    group: 'settings',
    View: page(() => import('../pages/settings/rates.tsx')),
  },
  {
    path: 'settings/usage',
    title: text.pages.usage,
    group: 'settings',
    View: page(() => import('../pages/settings/usage.tsx')),
  },
  {
    path: 'settings/members',
    title: text.pages.members,
    group: 'settings',
    View: page(() => import('../pages/settings/members.tsx')),
  },
  {
    path: 'settings/audit',
    title: text.pages.audit,
    group: 'settings',
    View: page(() => import('../pages/settings/audit.tsx')),
  },
  {
    path: 'settings/sessions',
    title: text.pages.sessions,
    group: 'settings',
    View: page(() => import('../pages/settings/sessions.tsx')),
  },
  {
    path: 'start',
    title: text.pages.start,
    group: 'settings',
    View: page(() => import('../pages/start/start.tsx')),
  },
]

/** The page whose path is the URL or its beginning. */
export function matchPage(path: string): { entry: PageEntry; rest: string } | null {
  const fitting = pages.filter((page) => path === page.path || path.startsWith(`${page.path}/`))
  const entry = fitting.sort((a, b) => b.path.length - a.path.length)[0]
  return entry === undefined ? null : { entry, rest: path.slice(entry.path.length + 1) }
}
