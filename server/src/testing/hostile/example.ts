export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Stands in examples for what is new in each request, since a repeat would be answered without being looked at. */
export const freshId = 'FRESHID'

/**
 * Who calls. `foreign` is a key of another workspace, `wrong` one that never existed, `spare*` may lose what they
 * have.
 */
export const credentialNames = [
  'none',
  'wrong',
  'public',
  'secret',
  'live',
  'test',
  'owner',
  'foreign',
  'spareLive',
  'sparePerson',
] as const
export type CredentialName = (typeof credentialNames)[number]

export type Signed = { body: string; headers: Readonly<Record<string, string>> }

/** A request that the product accepts, whose fields are then replaced one by one. */
export type Example = {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
  body?: Json
  /** Where not the usual one of the route's access. */
  as?: CredentialName
  /** Over the very bytes that are sent. */
  sign?: (body: string) => Signed
  /** Where the right answer is not the route's success, such as for a thing that a test has not got. */
  answers?: number | readonly number[]
}
