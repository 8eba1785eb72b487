import { Type } from 'typebox'
import { paging } from '../shapes.ts'

export const base = { plane: 'control', tag: 'Members' } as const
export const reads = { ...base, access: 'read', scope: 'members:read', rate: 'controlRead' } as const
export const writes = { ...base, access: 'write', scope: 'members:write', rate: 'controlWrite' } as const
export const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })
export const page = Type.Object(
  { ...paging, cursor: Type.Optional(Type.String({ maxLength: 200, pattern: '^[^\\u0000]*$' })) },
  { additionalProperties: false },
)
