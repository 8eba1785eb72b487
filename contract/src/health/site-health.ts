import { type Static, Type } from 'typebox'
import { analyticsReads } from '../analytics/access.ts'
import { lookupProblems } from '../problems.ts'
import { Period, periodQuery } from '../reads.ts'
import { route } from '../route.ts'
import { Dictionary, OneOf, Time } from '../shapes.ts'

/** Components of a site's health score, and their weights. */
export const healthWeights = {
  tracking_integrity: 30,
  freshness: 15,
  errors: 20,
  performance: 15,
  conversion_stability: 20,
} as const
export type HealthKey = keyof typeof healthWeights

const Grade = OneOf(['A', 'B', 'C', 'D', 'E'])

export const HealthComponent = Type.Object({
  key: Type.Unsafe<HealthKey>({ type: 'string', enum: Object.keys(healthWeights) }),
  weight: Type.Integer(),
  score: Type.Union([Type.Number({ minimum: 0, maximum: 100 }), Type.Null()], {
    description: 'Null without data, which is not the same as 0',
  }),
  evidence: Type.String({ description: 'In plain words' }),
  figures: Dictionary(Type.Union([Type.Number(), Type.Null()])),
  fix: Type.Union([Type.String(), Type.Null()], {
    description: 'What to do; null where nothing is to be done',
  }),
})
export type HealthComponent = Static<typeof HealthComponent>

export const SiteHealth = Type.Object({
  siteId: Type.String(),
  at: Time,
  period: Period,
  score: Type.Union([Type.Number({ minimum: 0, maximum: 100 }), Type.Null()], {
    description: 'Of the components that have data, by their weight',
  }),
  grade: Type.Union([Grade, Type.Null()], { description: 'A from 90, B from 75, C from 60, D from 40' }),
  completeness: Type.Number({ description: 'Share of the weight that has data' }),
  components: Type.Array(HealthComponent),
})
export type SiteHealth = Static<typeof SiteHealth>

export const milestoneKeys = ['visitors', 'signups', 'orders', 'subscriptions', 'revenue'] as const
export type MilestoneKey = (typeof milestoneKeys)[number]

export const Milestone = Type.Object({
  id: Type.String({ description: 'Stays the same: its key and threshold' }),
  key: OneOf(milestoneKeys),
  title: Type.String(),
  reachedAt: Type.Union([Time, Type.Null()]),
  value: Type.Number({ description: 'As it is now' }),
  threshold: Type.Number(),
  status: OneOf(['reached', 'approaching'], { description: 'approaching: at least four fifths of the way' }),
  evidence: Type.String(),
})
export type Milestone = Static<typeof Milestone>

const ofSite = Type.Object(
  { siteId: Type.String({ maxLength: 64 }), ...periodQuery },
  { additionalProperties: false },
)

export const getSiteHealth = route({
  ...analyticsReads,
  id: 'getSiteHealth',
  fresh: 'camel',
  method: 'GET',
  path: '/api/analytics/health',
  summary: 'Health of a site: a score, what it is made of, and what to do',
  description:
    'Of the last seven days unless a period is given, as it stood at its end. Conversion is compared with a time ' +
    'before it that is four times as long.',
  query: ofSite,
  success: { status: 200, body: SiteHealth },
  problems: lookupProblems,
})

export const getMilestones = route({
  ...analyticsReads,
  id: 'getMilestones',
  fresh: 'camel',
  method: 'GET',
  path: '/api/analytics/milestones',
  summary: 'Business milestones, reached and near',
  description:
    'Counted over the last 400 days, every ten minutes at most; what was reached once stays reached. With a period ' +
    'those that were reached in it; those that are near only where it lasts until now. The latest come first, those ' +
    'that are near before them.',
  query: ofSite,
  success: {
    status: 200,
    body: Type.Object({
      siteId: Type.String(),
      at: Time,
      period: Type.Union([Period, Type.Null()], { description: 'Null where none was asked for' }),
      milestones: Type.Array(Milestone),
    }),
  },
  problems: lookupProblems,
})

export const siteHealthRoutes = [getSiteHealth, getMilestones] as const
