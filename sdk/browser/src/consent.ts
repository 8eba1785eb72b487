import type { Guard } from './delivery/losses.ts'

/** The categories of Consent Mode v2, and three of our own. */
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
/** One choice for all categories, or choices for some of them; the others stay unchanged. */
export type ConsentInput = ConsentChoice | ConsentChoices

/**
 * State of `analytics_storage`, which everything here depends on. `pending`: denied by default and not chosen
 * yet; until then nothing may be sent or stored.
 */
type ConsentState = 'pending' | ConsentChoice

export type Consent = {
  state: () => ConsentState
  /** What is sent to the server: the choices, and what is denied until the visitor chooses. */
  choices: () => ConsentChoices
  isChosen: () => boolean
  /**
   * Global Privacy Control: the browser states, for all sites, that the visitor must not be sold or shared.
   */
  hasSignal: boolean
  /** The default until the visitor chooses. */
  presume: (input: ConsentInput) => void
  choose: (input: ConsentInput) => void
}

export function createConsent(initial: ConsentInput, hasSignal: boolean, onChange: () => void): Consent {
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
    // A choice for all categories leaves security granted: without it, people could not be distinguished from
    // attacks.
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
 * Follows Google's `dataLayer`, where consent banners record choices: `gtag('consent', 'default', …)` before
 * and `gtag('consent', 'update', …)` after the choice.
 */
export function followDataLayer(layer: LayerEntry[], consent: Consent, guard: Guard): void {
  const read = guard((entry: LayerEntry) => {
    if (entry?.[0] !== 'consent') return
    // boundary: entries come from other scripts; only known categories and values are read.
    const command = entry[2] as Command
    if (entry[1] === 'update') consent.choose(command)
    // A default for some regions: the visitor's region is unknown here, so only stricter values are applied.
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
