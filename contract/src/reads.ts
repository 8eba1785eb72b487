import { type Static, Type } from 'typebox'
import { OneOf, Time } from './shapes.ts'

/** Longest range a read may cover. */
export const readDaysMax = 400

/** Which visits of a site a read is about: those with an event that matches all of these. */
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
}

/** What every analytics read takes. Times are RFC 3339, or a date, which means midnight in `timezone`. */
export const readQuery = {
  siteId: Type.String({ maxLength: 64 }),
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
  ...filterQuery,
}
const ReadQuery = Type.Object(readQuery)
export type ReadQuery = Static<typeof ReadQuery>

/** Of reads that answer CSV too, which `Accept: text/csv` also asks for. */
export const formatQuery = { format: Type.Optional(OneOf(['json', 'csv'])) }

export const Period = Type.Object({
  from: Time,
  to: Time,
  timezone: Type.String(),
  includesToday: Type.Boolean({ description: 'It reaches into the day that still runs' }),
})
export type ReadPeriod = Static<typeof Period>
