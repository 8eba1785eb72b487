import { Type } from 'typebox'

const base = { plane: 'control', tag: 'Attribution' } as const
export const reads = { ...base, access: 'read', scope: 'attribution:read', rate: 'controlRead' } as const
export const writes = { ...base, access: 'write', scope: 'attribution:write', rate: 'controlWrite' } as const

const Day = (description: string) => Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description })
export const range = {
  from: Day('The first day, in UTC'),
  to: Day('The last day, in UTC; it is part of the range'),
}
