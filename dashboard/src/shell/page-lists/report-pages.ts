import { text } from '../../text.ts'
import { page } from '../load-page.ts'
import type { PageEntry } from './page-entry.ts'

export const reportPages: readonly PageEntry[] = [
  {
    path: 'overview',
    title: text.pages.overview,
    area: 'home',
    range: 'comparison',
    View: page(() => import('../../pages/overview/overview.tsx')),
  },
  {
    path: 'sites',
    title: text.pages.allSites,
    area: 'home',
    range: 'days',
    View: page(() => import('../../pages/sites/all-sites.tsx')),
  },
  {
    path: 'live',
    title: text.pages.live,
    area: 'home',
    View: page(() => import('../../pages/events/live.tsx')),
  },
  {
    path: 'explore',
    title: text.pages.explore,
    area: 'explore',
    range: 'anyComparison',
    View: page(() => import('../../pages/explore/explore.tsx')),
  },
  {
    path: 'reports',
    title: text.pages.reports,
    area: 'explore',
    View: page(() => import('../../pages/explore/reports.tsx')),
  },
  {
    path: 'sql',
    title: text.pages.sql,
    area: 'explore',
    range: 'days',
    View: page(() => import('../../pages/sql/sql.tsx')),
  },
  {
    path: 'boards',
    title: text.pages.boards,
    area: 'boards',
    View: page(() => import('../../pages/boards/boards.tsx')),
  },
  {
    path: 'alerts',
    title: text.pages.alerts,
    area: 'boards',
    View: page(() => import('../../pages/alerts/alerts.tsx')),
  },
  {
    path: 'digests',
    title: text.pages.digests,
    area: 'boards',
    View: page(() => import('../../pages/digests/digests.tsx')),
  },
  {
    path: 'funnels',
    title: text.pages.funnels,
    area: 'paths',
    range: 'days',
    View: page(() => import('../../pages/funnels/funnels.tsx')),
  },
  {
    path: 'flow',
    title: text.pages.flow,
    area: 'paths',
    range: 'days',
    View: page(() => import('../../pages/flow/flow.tsx')),
  },
  {
    path: 'retention',
    title: text.pages.retention,
    area: 'paths',
    range: 'days',
    View: page(() => import('../../pages/retention/retention.tsx')),
  },
  {
    path: 'attribution',
    title: text.pages.attribution,
    area: 'paths',
    range: 'days',
    View: page(() => import('../../pages/attribution/attribution.tsx')),
  },
  {
    path: 'errors',
    title: text.pages.errors,
    area: 'errors',
    range: 'window',
    View: page(() => import('../../pages/errors/errors.tsx')),
  },
  {
    path: 'drift',
    title: text.pages.drift,
    area: 'errors',
    View: page(() => import('../../pages/drift/drift.tsx')),
  },
  {
    path: 'replays',
    title: text.pages.replays,
    area: 'errors',
    View: page(() => import('../../pages/replays/replays.tsx')),
  },
]
