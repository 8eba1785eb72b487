import { text } from '../../text.ts'
import { page } from '../load-page.ts'
import type { PageEntry } from './page-entry.ts'

export const dataPages: readonly PageEntry[] = [
  {
    path: 'event-health',
    title: text.pages.eventHealth,
    area: 'quality',
    View: page(() => import('../../pages/event-health/event-health.tsx')),
  },
  {
    path: 'quarantine',
    title: text.pages.quarantine,
    area: 'quality',
    View: page(() => import('../../pages/quarantine/quarantine.tsx')),
  },
  {
    path: 'registry',
    title: text.pages.registry,
    area: 'quality',
    View: page(() => import('../../pages/registry/registry.tsx')),
  },
  {
    path: 'events',
    title: text.pages.catalog,
    area: 'quality',
    View: page(() => import('../../pages/events/catalog.tsx')),
  },
  {
    path: 'receipts',
    title: text.pages.receipts,
    area: 'quality',
    View: page(() => import('../../pages/events/receipts.tsx')),
  },
  {
    path: 'site-health',
    title: text.pages.siteHealth,
    area: 'quality',
    View: page(() => import('../../pages/site-health/site-health.tsx')),
  },
  {
    path: 'dead-letters',
    title: text.pages.deadLetters,
    area: 'quality',
    View: page(() => import('../../pages/dead-letters/dead-letters.tsx')),
  },
  {
    path: 'packs',
    title: text.pages.packs,
    area: 'quality',
    View: page(() => import('../../pages/registry/packs.tsx')),
  },
  {
    path: 'code',
    title: text.pages.code,
    area: 'quality',
    View: page(() => import('../../pages/registry/code.tsx')),
  },
  {
    path: 'people',
    title: text.pages.people,
    area: 'people',
    View: page(() => import('../../pages/people/people.tsx')),
  },
  {
    path: 'audiences',
    title: text.pages.audiences,
    area: 'people',
    View: page(() => import('../../pages/audiences/audiences.tsx')),
  },
  {
    path: 'ledger',
    title: text.pages.ledger,
    area: 'people',
    View: page(() => import('../../pages/people/ledger.tsx')),
  },
  {
    path: 'requests',
    title: text.pages.requests,
    area: 'people',
    View: page(() => import('../../pages/requests/requests.tsx')),
  },
]
