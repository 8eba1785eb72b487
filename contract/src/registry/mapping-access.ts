import { Type } from 'typebox'

const base = { plane: 'control', tag: 'Event mappings' } as const
export const reads = { ...base, access: 'read', scope: 'registry:read', rate: 'apiRead' } as const
export const writes = { ...base, access: 'write', scope: 'registry:write', rate: 'apiWrite' } as const
export const byId = Type.Object({ id: Type.String({ maxLength: 100 }) })
