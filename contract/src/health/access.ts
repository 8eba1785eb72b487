import { Type } from 'typebox'

export const reads = {
  plane: 'control',
  access: 'read',
  scope: 'health:read',
  rate: 'controlRead',
  tag: 'Health',
} as const
export const writes = { ...reads, access: 'write', scope: 'health:write', rate: 'controlWrite' } as const

export const site = Type.Optional(
  Type.String({ maxLength: 64, description: 'One site; else the whole workspace' }),
)
export const scope = {
  site_id: site,
  window: Type.Optional(
    Type.String({
      pattern: '^([1-9]|[12][0-9]|3[01])d$',
      description: 'Days up to now, 31 at most',
      default: '7d',
    }),
  ),
}
