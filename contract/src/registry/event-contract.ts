/** Verdicts of the gate, mildest first: the order is the ranking. */
export const outcomes = ['accept', 'warn', 'quarantine', 'reject'] as const

export type Outcome = (typeof outcomes)[number]

export const propertyTypes = ['string', 'number', 'boolean', 'array', 'object'] as const
export type PropertyType = (typeof propertyTypes)[number]

export const surfaces = ['web', 'ios', 'android', 'server'] as const
export type Surface = (typeof surfaces)[number]

/** The seven consent categories; an event's purpose is one of them. */
export const consentCategories = [
  'ad_storage',
  'ad_user_data',
  'ad_personalization',
  'analytics_storage',
  'functionality_storage',
  'personalization_storage',
  'security_storage',
] as const
export type ConsentCategory = (typeof consentCategories)[number]

/** One property of a contract. `items` describes array elements, `properties` the members of an object. */
export type PropertyRule = {
  type: PropertyType
  required?: boolean
  description?: string
  enum?: readonly (string | number | boolean)[]
  pattern?: string
  minimum?: number
  maximum?: number
  items?: PropertyRule
  properties?: Readonly<Record<string, PropertyRule>>
  pii?: 'allow' | 'deny'
  deprecated?: boolean
  /** A named value format beyond JSON's types; `currency` is an ISO 4217 code. */
  format?: 'currency'
}

/** An event with an undeclared property is never refused for it. */
export const additionalOutcomes = ['accept', 'warn', 'quarantine'] as const satisfies readonly Outcome[]
export type AdditionalOutcome = (typeof additionalOutcomes)[number]

export const contractStatuses = ['draft', 'published', 'deprecated', 'archived'] as const
export type ContractStatus = (typeof contractStatuses)[number]

/** A registered event shape. `key` addresses it, `name` is what is sent (`$purchase` has key `purchase`). */
export type EventContract = {
  key: string
  name: string
  /** `major-minor-patch`, immutable once published. */
  version: string
  status: ContractStatus
  description: string
  owner?: string
  category?: string
  properties: Readonly<Record<string, PropertyRule>>
  /** What an undeclared property leads to. */
  additional: AdditionalOutcome
  surfaces: readonly Surface[]
  purpose: ConsentCategory
  replaced_by?: string
  /** Issue code → outcome, where this contract is stricter or milder than the workspace. */
  severities?: Readonly<Record<string, Outcome>>
}
