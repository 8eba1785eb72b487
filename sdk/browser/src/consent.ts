import type { Guard } from './losses.ts'

/** The categories of Consent Mode v2, and the three that stand beside them. */
const consentCategories = [
  'ad_storage',
  'ad_user_data',
  'ad_personalization',
  'analytics_storage',
  'functionality_storage',
  'personalization_storage',
  'security_storage',
] as const
export type ConsentCategory = (typeof consentCategories)[number]
export type ConsentChoice = 'granted' | 'denied'
export type ConsentChoices = Partial<Record<ConsentCategory, ConsentChoice>>
/** One word for all categories, or a word for some of them; the others stay as they are. */
export type ConsentInput = ConsentChoice | ConsentChoices

/**
 * Of `analytics_storage`, which is what everything here is for. `pending`: it is presumed to be denied, and nobody has
 * chosen; until then nothing may be sent or kept.
 */
export type ConsentState = 'pending' | ConsentChoice

export type Consent = {
  state: () => ConsentState
  /** What the server is told: what was chosen, and what is denied until somebody chooses. */
  choices: () => ConsentChoices
  isChosen: () => boolean
  /** Global Privacy Control: the visitor told the browser, once for all sites, not to be sold or shared. */
  hasSignal: boolean
  /** What holds until somebody chooses. */
  presume: (input: ConsentInput) => void
  choose: (input: ConsentInput) => void
}

export function createConsent(initial: ConsentInput, onChange: () => void): Consent {
  const hasSignal = 'globalPrivacyControl' in navigator && navigator.globalPrivacyControl === true
  let presumed = choicesOf(initial)
  let chosen: ConsentChoices = {}
  return {
    state: () =>
      chosen.analytics_storage ?? (presumed.analytics_storage === 'denied' ? 'pending' : 'granted'),
    choices: () => ({ ...denialsOf(presumed), ...(hasSignal && noAds), ...chosen }),
    isChosen: () => Object.keys(chosen).length > 0,
    hasSignal,
    presume(input) {
      presumed = { ...presumed, ...choicesOf(input) }
      onChange()
    },
    choose(input) {
      chosen = { ...chosen, ...choicesOf(input) }
      onChange()
    },
  }
}

const noAds: ConsentChoices = { ad_storage: 'denied', ad_user_data: 'denied', ad_personalization: 'denied' }

function choicesOf(input: ConsentInput): ConsentChoices {
  const choices: ConsentChoices = {}
  for (const category of consentCategories) {
    // Security is not for one word to refuse: without it nobody could tell a person from an attack.
    const isSwept = typeof input === 'string' && category !== 'security_storage'
    const choice = isSwept ? input : Object(input)[category]
    if (choice === 'granted' || choice === 'denied') choices[category] = choice
  }
  return choices
}

function denialsOf(choices: ConsentChoices): ConsentChoices {
  const denied = Object.entries(choices).filter(([, choice]) => choice === 'denied')
  return Object.fromEntries(denied)
}

export type LayerEntry = { readonly 0?: unknown; readonly 1?: unknown; readonly 2?: unknown }
type Command = ConsentChoices & { region?: unknown }

/**
 * Listens to Google's `dataLayer`, where consent banners tell what they were told: `gtag('consent', 'default', …)`
 * before and `gtag('consent', 'update', …)` after the choice.
 */
export function followDataLayer(layer: LayerEntry[], consent: Consent, guard: Guard): void {
  const read = guard((entry: LayerEntry) => {
    if (entry?.[0] !== 'consent') return
    // boundary: entries come from scripts of others; of them only words that we know are taken.
    const command = entry[2] as Command
    if (entry[1] === 'update') consent.choose(command)
    // A default for some regions: where the visitor is, is not known here, so only what is stricter is taken.
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
