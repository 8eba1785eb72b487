import { type Static, Type } from 'typebox'
import { OneOf, Time } from '../../shapes.ts'
import { contractStatuses, type PropertyRule } from '../event-contract.ts'
import { contractFields, Key, Properties, Version } from './contract-fields.ts'

export const contractSources = ['standard', 'built_in', 'custom'] as const

export const Contract = Type.Object({
  key: Key,
  name: Type.String({ description: 'The name on the wire' }),
  version: Version,
  status: OneOf(contractStatuses),
  source: OneOf(contractSources),
  ...contractFields,
  // Outgoing values were checked to any depth when they came in.
  properties: Type.Unsafe<Readonly<Record<string, PropertyRule>>>(Properties),
  created_at: Type.Union([Time, Type.Null()]),
  published_at: Type.Union([Time, Type.Null()]),
})
export type Contract = Static<typeof Contract>
