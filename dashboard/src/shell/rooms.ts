import type { ComponentType } from 'react'
import { text } from '../text.ts'
import { room } from './load-room.ts'
import type { RoomProps } from './room-props.ts'

export const groups = ['reports', 'events', 'people', 'settings'] as const

export type RoomEntry = {
  path: string
  title: string
  group: (typeof groups)[number]
  View: ComponentType<RoomProps>
  /** What of the time its numbers go by: the last days, any days and a time zone, or a comparison as well. */
  range?: 'window' | 'days' | 'comparison'
}

/** Every page, loaded on demand. */
export const rooms: readonly RoomEntry[] = [
  {
    path: 'overview',
    title: text.rooms.overview,
    group: 'reports',
    range: 'comparison',
    View: room(() => import('../rooms/overview/overview.tsx')),
  },
  {
    path: 'funnels',
    title: text.rooms.funnels,
    group: 'reports',
    range: 'days',
    View: room(() => import('../rooms/funnels/funnels.tsx')),
  },
  {
    path: 'flow',
    title: text.rooms.flow,
    group: 'reports',
    range: 'days',
    View: room(() => import('../rooms/flow/flow.tsx')),
  },
  {
    path: 'retention',
    title: text.rooms.retention,
    group: 'reports',
    range: 'days',
    View: room(() => import('../rooms/retention/retention.tsx')),
  },
  {
    path: 'attribution',
    title: text.rooms.attribution,
    group: 'reports',
    range: 'days',
    View: room(() => import('../rooms/attribution/attribution.tsx')),
  },
  {
    path: 'errors',
    title: text.rooms.errors,
    group: 'reports',
    range: 'window',
    View: room(() => import('../rooms/errors/errors.tsx')),
  },
  {
    path: 'site-health',
    title: text.rooms.siteHealth,
    group: 'reports',
    View: room(() => import('../rooms/site-health/site-health.tsx')),
  },
  {
    path: 'event-health',
    title: text.rooms.eventHealth,
    group: 'reports',
    View: room(() => import('../rooms/event-health/event-health.tsx')),
  },
  {
    path: 'drift',
    title: text.rooms.drift,
    group: 'reports',
    View: room(() => import('../rooms/drift/drift.tsx')),
  },
  {
    path: 'live',
    title: text.rooms.live,
    group: 'events',
    View: room(() => import('../rooms/events/live.tsx')),
  },
  {
    path: 'events',
    title: text.rooms.catalog,
    group: 'events',
    View: room(() => import('../rooms/events/catalog.tsx')),
  },
  {
    path: 'receipts',
    title: text.rooms.receipts,
    group: 'events',
    View: room(() => import('../rooms/events/receipts.tsx')),
  },
  {
    path: 'quarantine',
    title: text.rooms.quarantine,
    group: 'events',
    View: room(() => import('../rooms/quarantine/quarantine.tsx')),
  },
  {
    path: 'dead-letters',
    title: text.rooms.deadLetters,
    group: 'events',
    View: room(() => import('../rooms/dead-letters/dead-letters.tsx')),
  },
  {
    path: 'registry',
    title: text.rooms.registry,
    group: 'events',
    View: room(() => import('../rooms/registry/registry.tsx')),
  },
  {
    path: 'packs',
    title: text.rooms.packs,
    group: 'events',
    View: room(() => import('../rooms/registry/packs.tsx')),
  },
  {
    path: 'code',
    title: text.rooms.code,
    group: 'events',
    View: room(() => import('../rooms/registry/code.tsx')),
  },
  {
    path: 'people',
    title: text.rooms.people,
    group: 'people',
    View: room(() => import('../rooms/people/people.tsx')),
  },
  {
    path: 'ledger',
    title: text.rooms.ledger,
    group: 'people',
    View: room(() => import('../rooms/people/ledger.tsx')),
  },
  {
    path: 'replays',
    title: text.rooms.replays,
    group: 'people',
    View: room(() => import('../rooms/replays/replays.tsx')),
  },
  {
    path: 'audiences',
    title: text.rooms.audiences,
    group: 'people',
    View: room(() => import('../rooms/audiences/audiences.tsx')),
  },
  {
    path: 'requests',
    title: text.rooms.requests,
    group: 'people',
    View: room(() => import('../rooms/requests/requests.tsx')),
  },
  {
    path: 'settings/api-keys',
    title: text.rooms.apiKeys,
    group: 'settings',
    View: room(() => import('../rooms/settings/api-keys.tsx')),
  },
  {
    path: 'settings/mappings',
    title: text.rooms.mappings,
    group: 'settings',
    View: room(() => import('../rooms/mappings/mappings.tsx')),
  },
  {
    path: 'settings/webhooks',
    title: text.rooms.webhooks,
    group: 'settings',
    View: room(() => import('../rooms/settings/webhooks.tsx')),
  },
  {
    path: 'settings/destinations',
    title: text.rooms.destinations,
    group: 'settings',
    View: room(() => import('../rooms/destinations/destinations.tsx')),
  },
  {
    path: 'settings/sites',
    title: text.rooms.sites,
    group: 'settings',
    View: room(() => import('../rooms/settings/sites.tsx')),
  },
  {
    path: 'settings/retention',
    title: text.rooms.dataRetention,
    group: 'settings',
    View: room(() => import('../rooms/settings/data-retention.tsx')),
  },
  {
    path: 'settings/error-rules',
    title: text.rooms.errorRules,
    group: 'settings',
    View: room(() => import('../rooms/errors/rules.tsx')),
  },
  {
    path: 'settings/rates',
    title: text.rooms.rates,
    group: 'settings',
    View: room(() => import('../rooms/settings/rates.tsx')),
  },
  {
    path: 'settings/usage',
    title: text.rooms.usage,
    group: 'settings',
    View: room(() => import('../rooms/settings/usage.tsx')),
  },
  {
    path: 'settings/members',
    title: text.rooms.members,
    group: 'settings',
    View: room(() => import('../rooms/settings/members.tsx')),
  },
  {
    path: 'settings/audit',
    title: text.rooms.audit,
    group: 'settings',
    View: room(() => import('../rooms/settings/audit.tsx')),
  },
  {
    path: 'settings/sessions',
    title: text.rooms.sessions,
    group: 'settings',
    View: room(() => import('../rooms/settings/sessions.tsx')),
  },
  {
    path: 'start',
    title: text.rooms.start,
    group: 'settings',
    View: room(() => import('../rooms/start/start.tsx')),
  },
]

/** The page whose path is the URL or its beginning. */
export function matchRoom(path: string): { entry: RoomEntry; rest: string } | null {
  const fitting = rooms.filter((room) => path === room.path || path.startsWith(`${room.path}/`))
  const entry = fitting.sort((a, b) => b.path.length - a.path.length)[0]
  return entry === undefined ? null : { entry, rest: path.slice(entry.path.length + 1) }
}
