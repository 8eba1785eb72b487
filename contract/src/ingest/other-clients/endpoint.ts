import { Type } from 'typebox'
import { lookupProblems } from '../../problems.ts'
import type { OtherClient } from '../../vendors/index.ts'

/**
 * Addresses that clients of other tools call, so that a site changes host and key alone. Each request is a batch in
 * other words; the key is where that client puts its own.
 */
export const endpoint = {
  method: 'POST',
  plane: 'data',
  access: 'send',
  scope: 'events:send',
  rate: 'ingest',
  tag: 'Other clients',
  problems: lookupProblems,
} as const
export const posted = {
  ...endpoint,
  body: Type.Unknown({ description: 'As the client of that tool sends it' }),
  rawBody: true,
} as const

/** How many events got which verdict, under a name that no client of another tool reads. */
export const assay = Type.Object({
  accepted: Type.Integer(),
  warned: Type.Integer(),
  quarantined: Type.Integer(),
  rejected: Type.Integer(),
  duplicates: Type.Integer(),
})

export const ofClient = <Client extends OtherClient>(client: Client) => ({ client })
