export const shared = {
  plane: 'control',
  access: 'read',
  scope: 'analytics:read',
  rate: 'apiRead',
  tag: 'Analytics',
  problems: ['unauthenticated', 'insufficient-scope', 'not-found'],
} as const
