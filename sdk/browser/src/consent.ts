import type { Guard } from './losses.ts'

/** The categories of Consent Mode v2, and the three that stand beside them. */
export type ConsentCategory =
  | 'ad_storage'
  | 'ad_user_data'
  | 'ad_personalization'
  | 'analytics_storage'
  | 'functionality_storage'
  | 'personalization_storage'
  | 'security_storage'
export type ConsentChoice = 'granted' | 'denied'
export type ConsentCategories = Record<ConsentCategory, ConsentChoice>
/** One word for all categories, or a word for some of them; the others stay as they are. */
export type ConsentInput = ConsentChoice | Partial<ConsentCategories>

/**
 * `pending`: nobody has chosen, and until then nothing may be sent or kept. `granted`, `denied`: of
 * `analytics_storage`, which is what everything here is for.
 */
export type ConsentState = 'pending' | ConsentChoice

export type Consent = {
  state: () => ConsentState
  categories: () => ConsentCategories
  isChosen: () => boolean
  hasSignal: boolean
  /** What holds until somebody chooses. */
  presume: (input: ConsentInput) => void
  choose: (input: ConsentInput) => void
}

export function createConsent(presumed: ConsentInput, onChange: () => void): Consent {
  // Global Privacy Control: the visitor told the browser, once for all sites, not to be sold or shared.
  const hasSignal = 'globalPrivacyControl' in navigator && navigator.globalPrivacyControl === true
  let isChosen = false
  const presumption = (before: ConsentCategories, input: ConsentInput): ConsentCategories =>
    withoutAds(merge(before, input), hasSignal)
  let categories = presumption(granted, presumed)

  return {
    state: () => {
      if (categories.analytics_storage === 'granted') return 'granted'
      return isChosen ? 'denied' : 'pending'
    },
    categories: () => categories,
    isChosen: () => isChosen,
    hasSignal,
    presume(input) {
      if (isChosen) return
      categories = presumption(categories, input)
      onChange()
    },
    choose(input) {
      categories = merge(categories, input)
      isChosen = true
      onChange()
    },
  }
}

const granted: ConsentCategories = {
  ad_storage: 'granted',
  ad_user_data: 'granted',
  ad_personalization: 'granted',
  analytics_storage: 'granted',
  functionality_storage: 'granted',
  personalization_storage: 'granted',
  security_storage: 'granted',
}

// boundary: the members of the object above, and no others.
const consentCategories = Object.keys(granted) as ConsentCategory[]

function withoutAds(categories: ConsentCategories, isAsked: boolean): ConsentCategories {
  if (!isAsked) return categories
  return { ...categories, ad_storage: 'denied', ad_user_data: 'denied', ad_personalization: 'denied' }
}

function merge(categories: ConsentCategories, input: ConsentInput): ConsentCategories {
  const merged = { ...categories }
  for (const category of consentCategories) {
    // Security is not for one word to refuse: without it nobody could tell a person from an attack.
    const isSwept = typeof input === 'string' && category !== 'security_storage'
    const choice = typeof input === 'string' ? (isSwept ? input : undefined) : input[category]
    if (choice === 'granted' || choice === 'denied') merged[category] = choice
  }
  return merged
}

export type LayerEntry = { readonly 0?: unknown; readonly 1?: unknown; readonly 2?: unknown }
type Command = Partial<ConsentCategories> & { region?: unknown }

/**
 * Listens to Google's `dataLayer`, where consent banners tell what they were told: `gtag('consent', 'default', …)`
 * before and `gtag('consent', 'update', …)` after the choice.
 */
export function followDataLayer(layer: LayerEntry[], consent: Consent, guard: Guard): void {
  const read = guard((entry: LayerEntry) => {
    if (entry?.[0] !== 'consent') return
    // boundary: entries come from scripts of others; `merge` takes only words that it knows.
    const command = entry[2] as Command
    if (entry[1] === 'update') consent.choose(command)
    else consent.presume(command.region ? denialsOf(command) : command)
  })
  for (const entry of layer) read(entry)
  const push = layer.push
  layer.push = (...entries) => {
    const length = push.apply(layer, entries)
    for (const entry of entries) read(entry)
    return length
  }
}

/** A default for some regions: where the visitor is, is not known here, so only what is stricter is taken. */
function denialsOf(command: Command): Partial<ConsentCategories> {
  const denials: Partial<ConsentCategories> = {}
  for (const category of consentCategories) if (command[category] === 'denied') denials[category] = 'denied'
  return denials
}
