const control = { plane: 'control', tag: 'Identity' } as const
export const reads = { ...control, access: 'read', scope: 'identity:read', rate: 'controlRead' } as const
export const writes = { ...control, access: 'write', scope: 'identity:write', rate: 'controlWrite' } as const
