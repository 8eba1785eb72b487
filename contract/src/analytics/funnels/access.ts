export const reads = {
  plane: 'control',
  access: 'read',
  scope: 'analytics:read',
  rate: 'apiRead',
  tag: 'Analytics',
} as const
