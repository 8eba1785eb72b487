import { type ConsentCategory, consentCategories } from '../registry/event-contract.ts'
import type { ConsentInput } from './judge.ts'
import { isRecord, type Properties } from './raw-event.ts'

export const consentRegimes = ['gdpr', 'kvkk', 'ccpa'] as const
export type ConsentRegime = (typeof consentRegimes)[number]
export const consentChoices = ['granted', 'denied'] as const
export type ConsentChoice = (typeof consentChoices)[number]

/** A person's choices; categories without a choice are absent. */
export type ConsentStatement = Readonly<Partial<Record<ConsentCategory, ConsentChoice>>>

/** The live consent record, as far as the gate needs it. */
export type ConsentInForce = {
  recordId: string
  stated: ConsentStatement
  /** The person's browser sent Global Privacy Control when this was recorded. */
  gpc: boolean
}

export type ConsentFacts = {
  /** Of the site. Without one nothing needs consent, but what a person has denied stays denied. */
  regime: ConsentRegime | null
  /** Records of every person whom the event names, the latest first. */
  records: readonly ConsentInForce[]
  /** Consent sent with the event itself. */
  ofEvent: ConsentStatement
  /** Global Privacy Control: https://www.w3.org/TR/gpc/ */
  gpc: boolean
}

/** Whether an event may be used for this purpose. */
export function consentFor(category: ConsentCategory, facts: ConsentFacts): ConsentChoice {
  const { regime, records, ofEvent } = facts
  const said = ofEvent[category]
  // A refusal sent by the device always counts; a grant sent by it does not override the record.
  if (said === 'denied') return 'denied'
  const recorded = statedIn(records, category)
  if (isRefusedBySignal(category, facts, recorded)) return 'denied'
  return recorded ?? said ?? defaultConsent(regime, category)
}

function statedIn(records: readonly ConsentInForce[], category: ConsentCategory): ConsentChoice | undefined {
  for (const { stated } of records) if (stated[category] !== undefined) return stated[category]
  return undefined
}

/** The default without a choice: opt-in in Europe and Turkey, opt-out in California. */
function defaultConsent(regime: ConsentRegime | null, category: ConsentCategory): ConsentChoice {
  if (regime === null || regime === 'ccpa') return 'granted'
  return category === 'security_storage' ? 'granted' : 'denied'
}

export function isAdCategory(category: ConsentCategory): boolean {
  return category.startsWith('ad_')
}

/** In California a recorded grant overrides the browser's signal for all sites; elsewhere it does not. */
function isRefusedBySignal(
  category: ConsentCategory,
  { regime, records, gpc }: ConsentFacts,
  recorded: ConsentChoice | undefined,
): boolean {
  if (regime === null || !isAdCategory(category)) return false
  if (!gpc && records[0]?.gpc !== true) return false
  return regime !== 'ccpa' || recorded !== 'granted'
}

/** The effective consent for all seven categories. */
export function consentOfAll(facts: ConsentFacts): Record<ConsentCategory, ConsentChoice> {
  const of = (category: ConsentCategory) => consentFor(category, facts)
  return {
    ad_storage: of('ad_storage'),
    ad_user_data: of('ad_user_data'),
    ad_personalization: of('ad_personalization'),
    analytics_storage: of('analytics_storage'),
    functionality_storage: of('functionality_storage'),
    personalization_storage: of('personalization_storage'),
    security_storage: of('security_storage'),
  }
}

export function consentInput(facts: ConsentFacts, onDenied: ConsentInput['onDenied']): ConsentInput {
  const recordId = facts.records[0]?.recordId
  return {
    allowed: (purpose) => consentFor(purpose, facts),
    ...(recordId !== undefined && { recordId }),
    onDenied,
  }
}

export const nothingStated: ConsentStatement = {}

/**
 * `context.consent` of an event: the categories of Consent Mode v2 as `granted`, `denied` or booleans,
 * directly or in `categoryPreferences`, where the tracking specification puts them; and `gpc`.
 */
export function consentInContext(context: Properties): { stated: ConsentStatement; gpc: boolean } | null {
  const { consent } = context
  if (!isRecord(consent)) return null
  const nested = isRecord(consent.categoryPreferences) ? consent.categoryPreferences : undefined
  const stated: Partial<Record<ConsentCategory, ConsentChoice>> = {}
  for (const category of consentCategories) {
    const choice = readChoice(consent[category]) ?? readChoice(nested?.[category])
    if (choice !== undefined) stated[category] = choice
  }
  return { stated, gpc: consent.gpc === true }
}

function readChoice(value: unknown): ConsentChoice | undefined {
  if (value === 'granted' || value === true) return 'granted'
  return value === 'denied' || value === false ? 'denied' : undefined
}
