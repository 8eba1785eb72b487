import { type Static, Type } from 'typebox'
import { OneOf } from '../../shapes.ts'
import { exchangeRatesUsed } from '../../sites/exchange-rates.ts'
import {
  affectedSessionsMin,
  errorStates,
  evidenceLevels,
  funnelStages,
  impactResultsMax,
  segments,
} from './error-bounds.ts'
import { Direction, PeriodText } from './figures.ts'

const SegmentImpact = Type.Object({
  segment: OneOf(segments, { description: 'By what its people had bought before the session' }),
  users: Type.Integer(),
  revenueLoss: Type.Number({ description: 'Weighted' }),
  weight: Type.Number(),
  sessions: Type.Integer({ description: 'Those of comparedSessions' }),
  averageOrderValue: Type.Number(),
  unweightedRevenueLoss: Type.Number({
    description: 'sessions × baselineConversionRate × averageOrderValue × dropOffProbability',
  }),
})

const Interval = (description: string) =>
  Type.Object({ low: Type.Number(), high: Type.Number() }, { description })

const Impact = Type.Object({
  totalRevenueLoss: Type.Number({
    description: 'Of all segments, weighted. Groups are ranked by it, those with insufficient evidence last',
  }),
  affectedSessions: Type.Integer({ description: 'All sessions that met the error' }),
  affectedUsers: Type.Integer(),
  bySegment: Type.Array(SegmentImpact),
})

const ofGroup = {
  impact: Impact,
  stage: OneOf(funnelStages, { description: 'Where most of the affected sessions were' }),
  comparedSessions: Type.Integer({
    description:
      'Affected sessions that had not bought yet when the error first met them: those of the formula and of all rates',
  }),
  convertedSessions: Type.Integer({ description: 'Those of comparedSessions that bought afterwards' }),
  expectedConversions: Type.Number({
    description: 'How many would have bought without the error: comparedSessions × baselineConversionRate',
  }),
  baselineConversionRate: Type.Number({
    description:
      'Of sessions without this error at the same point that had not bought yet either, from there on',
  }),
  affectedConversionRate: Type.Number({ description: 'convertedSessions / comparedSessions' }),
  reliability: Type.Number({
    description: 'How much of the difference is kept, 0 to 1: little where chance could have made it',
  }),
  dropOffProbability: Type.Number({
    description: '1 − affectedConversionRate / baselineConversionRate, at least 0, × reliability',
  }),
  unweightedRevenueLoss: Type.Number({ description: 'The estimate in money' }),
  interval90: Interval('Of unweightedRevenueLoss'),
  weightedInterval90: Interval('Of impact.totalRevenueLoss'),
  evidence: OneOf(evidenceLevels, {
    description: `strong: not even the 95 % interval reaches down to nothing. insufficient: below ${affectedSessionsMin} comparedSessions, or nothing to compare them with`,
  }),
  trend: Direction,
  previousRevenueLoss: Type.Number({
    description: 'Unweighted, in the same days and time of day before the window',
  }),
}

export const ImpactResult = Type.Object({
  errorGroup: Type.String(),
  groupId: Type.String(),
  state: OneOf(errorStates),
  ...ofGroup,
})
export type ImpactResult = Static<typeof ImpactResult>

export const RevenueImpact = Type.Object({
  errorGroup: Type.Union([Type.String(), Type.Null()], {
    description: 'The one that ranks first; null for none',
  }),
  period: PeriodText,
  impact: Impact,
  currency: Type.Union([Type.String(), Type.Null()]),
  exchangeRates: exchangeRatesUsed,
  results: Type.Array(ImpactResult, {
    description: `The first ${impactResultsMax} groups by impact.totalRevenueLoss, then by sessions; those with insufficient evidence after all others`,
  }),
})
export type RevenueImpact = Static<typeof RevenueImpact>
