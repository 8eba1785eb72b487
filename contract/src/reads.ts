import { type Static, Type } from 'typebox'
import { FiltersText } from './questions/filters/filters.ts'
import { OneOf, Time } from './shapes.ts'

/** Restricts a read to the visits that have an event which matches all of these. */
export const filterQuery = {
  path: Type.Optional(
    Type.String({ maxLength: 2048, description: 'A path, or a pattern: /product/:id, /blog/*' }),
  ),
  country: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2}$' })),
  device: Type.Optional(Type.String({ maxLength: 20 })),
  source: Type.Optional(Type.String({ maxLength: 200 })),
  event: Type.Optional(Type.String({ maxLength: 200 })),
  audience: Type.Optional(Type.String({ maxLength: 64, description: 'Id of an audience of the site' })),
  includeBots: Type.Optional(Type.Boolean({ default: false })),
  filters: Type.Optional(FiltersText),
}

/** The period. Times are RFC 3339, or a date, which means midnight in `timezone`. */
export const periodQuery = {
  from: Type.Optional(Type.String({ maxLength: 40 })),
  to: Type.Optional(
    Type.String({ maxLength: 40, description: 'Exclusive; a date means the end of that day' }),
  ),
  window: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,2}[hd]$',
      description: '30d: so many days of the calendar, today included; 24h: so many hours up to now',
    }),
  ),
  timezone: Type.Optional(Type.String({ maxLength: 64, description: "IANA name; default is the site's" })),
}

/** Parameters of every analytics read. */
export const readQuery = {
  siteId: Type.String({ maxLength: 64 }),
  ...periodQuery,
  ...filterQuery,
}
const ReadQuery = Type.Object(readQuery)
export type ReadQuery = Static<typeof ReadQuery>

/** For reads that can answer CSV, also by `Accept: text/csv`. */
export const formatQuery = { format: Type.Optional(OneOf(['json', 'csv'])) }

export const Period = Type.Object({
  from: Time,
  to: Time,
  timezone: Type.String(),
  includesToday: Type.Boolean({ description: 'It reaches into the day that still runs' }),
})
export type ReadPeriod = Static<typeof Period>

/** The longest that a read waits, in seconds. */
export const readWaitMax = 30

/** Spelling of the members, by surface. */
export type FreshNames = 'camel' | 'snake'

const DataUntil = Type.String({
  description:
    'RFC 3339, UTC. Every event that this node acknowledged before is in the answer. `Prefer: wait=5` waits up to so ' +
    `many seconds, ${readWaitMax} at most, until everything is that was acknowledged before the question`,
})
const PendingEvents = Type.Integer({
  minimum: 0,
  description: 'Events of the workspace that this node acknowledged and that are not in the store yet',
})

/** How fresh the store was when a read was answered. Part of every read of stored events. */
export const freshShapes = {
  camel: Type.Object({ dataUntil: DataUntil, pendingEvents: PendingEvents }),
  snake: Type.Object({ data_until: DataUntil, pending_events: PendingEvents }),
}
export type Fresh = Static<typeof freshShapes.camel> | Static<typeof freshShapes.snake>
export type FreshOf<Names extends FreshNames> = Static<(typeof freshShapes)[Names]>
