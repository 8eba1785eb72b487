import { Type } from 'typebox'

export const siteId = Type.String({ maxLength: 64 })

const base = { plane: 'control', tag: 'Alerts' } as const
export const reads = { ...base, access: 'read', scope: 'analytics:read', rate: 'apiRead' } as const
export const writes = { ...base, access: 'write', scope: 'analytics:write', rate: 'apiWrite' } as const
export const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })
