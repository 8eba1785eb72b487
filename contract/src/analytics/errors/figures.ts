import { Type } from 'typebox'
import { periodQuery } from '../../reads.ts'
import { OneOf } from '../../shapes.ts'

export const Direction = OneOf(['up', 'down', 'flat'])

const window = Type.String({
  pattern: '^[1-9][0-9]?[hd]$',
  description: 'Days of the calendar, today included: 1d to 90d; or hours up to now: 24h',
})

export const PeriodText = Type.String({ description: 'Such as 30d, or 2026-10-01/2026-10-31 for two dates' })

/** The window of the specification, or two dates as in every other read. */
export const impactPeriod = { ...periodQuery, window: Type.Optional(window) }
