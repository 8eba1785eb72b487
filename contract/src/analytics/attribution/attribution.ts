import { computeAttribution, getAttributionJob } from './jobs.ts'
import { explainOutcome, listOutcomes } from './outcomes.ts'
import { getAttributionPolicy, setAttributionPolicy } from './policy.ts'
import { getAttributionReport } from './report.ts'
import { getTouchpoints } from './touchpoints.ts'

export const attributionRoutes = [
  getAttributionPolicy,
  setAttributionPolicy,
  computeAttribution,
  getAttributionJob,
  getTouchpoints,
  listOutcomes,
  explainOutcome,
  getAttributionReport,
] as const
