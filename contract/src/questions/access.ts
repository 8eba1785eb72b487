import { analyticsReads } from '../analytics/access.ts'
import { lookupProblems } from '../problems.ts'

export const shared = {
  ...analyticsReads,
  problems: lookupProblems,
} as const
