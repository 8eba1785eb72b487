import { lookupProblems } from '../problems.ts'

export const shared = {
  plane: 'control',
  access: 'read',
  scope: 'analytics:read',
  rate: 'apiRead',
  tag: 'Analytics',
  problems: lookupProblems,
} as const
