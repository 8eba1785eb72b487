import type { DimensionName, Overview } from '@assay/contract'
import type { FilterName } from '../../shell/range.ts'

export type Tab = {
  dimension: DimensionName
  /** The overview has its first rows already; any other is asked when it is opened. */
  inOverview?: keyof Overview['breakdowns']
  /** The plain parameter that means the same. */
  plain?: FilterName
  /** Many sites have none: it is left out where the period has no value. */
  isOptional?: boolean
}

export type CardName = 'sources' | 'pages' | 'places' | 'devices' | 'events'

/** Two columns of about the same height; on a narrow screen one below the other. */
export const sides = ['left', 'right'] as const
type Side = (typeof sides)[number]

/** Breakdowns that belong together share a card; the first tab is shown first. */
export const breakdownCards: readonly { name: CardName; side: Side; tabs: readonly Tab[] }[] = [
  {
    name: 'sources',
    side: 'left',
    tabs: [
      { dimension: 'source', inOverview: 'sources', plain: 'source' },
      { dimension: 'channel' },
      { dimension: 'referrer' },
      { dimension: 'utm.campaign' },
      { dimension: 'utm.source' },
      { dimension: 'utm.medium' },
    ],
  },
  {
    name: 'pages',
    side: 'right',
    tabs: [
      { dimension: 'page', inOverview: 'pages', plain: 'path' },
      { dimension: 'entryPage' },
      { dimension: 'exitPage' },
      { dimension: 'hostname' },
    ],
  },
  {
    name: 'places',
    side: 'left',
    tabs: [
      { dimension: 'country', inOverview: 'countries', plain: 'country' },
      { dimension: 'region', isOptional: true },
      { dimension: 'city', isOptional: true },
      { dimension: 'language' },
    ],
  },
  {
    name: 'devices',
    side: 'right',
    tabs: [
      { dimension: 'device', inOverview: 'devices', plain: 'device' },
      { dimension: 'browser' },
      { dimension: 'os' },
      { dimension: 'screen' },
    ],
  },
  {
    name: 'events',
    side: 'right',
    tabs: [{ dimension: 'event', inOverview: 'events', plain: 'event' }, { dimension: 'release' }],
  },
]
