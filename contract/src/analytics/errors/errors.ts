import { getError, listErrors, updateError } from './groups.ts'
import { getRevenueImpact, postRevenueImpact } from './impact-routes.ts'
import { getOrderValueCorrelation } from './order-value.ts'
import {
  createErrorRule,
  deleteErrorRule,
  listErrorRules,
  previewErrorRule,
  updateErrorRule,
} from './rules.ts'

export const errorRoutes = [
  listErrors,
  getRevenueImpact,
  postRevenueImpact,
  getOrderValueCorrelation,
  getError,
  updateError,
  listErrorRules,
  createErrorRule,
  previewErrorRule,
  updateErrorRule,
  deleteErrorRule,
] as const
