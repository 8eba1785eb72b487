import { Type } from 'typebox'
import { Key } from './contracts/contract-fields.ts'

export const byKey = Type.Object({ key: Key })
const base = { plane: 'control', tag: 'Registry' } as const
export const reads = { ...base, access: 'read', scope: 'registry:read', rate: 'controlRead' } as const
export const writes = { ...base, access: 'write', scope: 'registry:write', rate: 'controlWrite' } as const
