/** How the reads of analytics are called. */
export const analyticsReads = {
  plane: 'control',
  access: 'read',
  scope: 'analytics:read',
  rate: 'apiRead',
  tag: 'Analytics',
} as const
