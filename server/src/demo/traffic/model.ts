import type { SiteKey } from './events/wire.ts'

/** A page outside the funnels; `:id` in the path becomes a number up to `ids`. */
type PageModel = {
  readonly path: string
  readonly title: string
  readonly weight: number
  readonly ids?: number
}

/** What the browser SDK says of a clicked element, enough to find it again after a redesign. */
export type ElementModel = {
  readonly key: string
  readonly selector: string
  readonly text: string
  readonly tag: string
  readonly role: string
  readonly id: string
  readonly classes: readonly string[]
  readonly ancestors: readonly string[]
  readonly position: {
    readonly x: number
    readonly y: number
    readonly width: number
    readonly height: number
  }
}

export type StepModel = {
  readonly key: string
  readonly label: string
  readonly match:
    | { readonly event: '$pageview'; readonly path: string; readonly title: string; readonly ids?: number }
    | { readonly event: '$click'; readonly element: ElementModel }
    | { readonly event: '$form_submit'; readonly formId: string; readonly fields: number }
    | { readonly event: '$login' }
    | { readonly event: '$purchase' | '$signup' | '$subscribe' }
}

/**
 * The only way to a step leads over the step before it in the same session, so `rates` are exact:
 * `rates[k]` is the chance to go from step k to step k + 1 without an error.
 */
export type FunnelModel = {
  readonly key: string
  readonly name: string
  readonly audience: 'everyone' | 'known' | 'unknown'
  /** Share of the audience's sessions that enter the first step. */
  readonly entryShare: number
  readonly steps: readonly StepModel[]
  readonly rates: readonly number[]
}

export type ErrorModel = {
  readonly key: string
  readonly name: string
  /** `#` becomes a changing number, as ids in real messages do: grouping has to see through it. */
  readonly message: string
  readonly file: string
  readonly functionNames: readonly string[]
  readonly handled: boolean
  /** Where it strikes: a step of a funnel, or any session (`null`). */
  readonly at: { readonly funnel: string; readonly step: string } | null
  /** Share of the sessions there that meet it. */
  readonly share: number
  /** The injected effect: the chance to continue is multiplied by 1 − dropOff. 0 is harmless. */
  readonly dropOff: number
}

export type SiteModel = {
  readonly key: SiteKey
  readonly name: string
  readonly domain: string
  readonly timezone: string
  readonly currency: string
  /** Share of all sessions. */
  readonly share: number
  /** When its people come, by their own clock. */
  readonly rhythm: 'evening' | 'office' | 'news'
  readonly weekendFactor: number
  readonly returningShare: number
  /** Share of new visitors who already have an account. */
  readonly knownShare: number
  readonly searchShare: number
  readonly searchWords: readonly string[]
  readonly pages: readonly PageModel[]
  readonly elements: readonly ElementModel[]
  readonly funnels: readonly FunnelModel[]
  readonly errors: readonly ErrorModel[]
  /** Median price of an order or a month, in the site's currency. */
  readonly priceMedian: number
  readonly plans: readonly { readonly name: string; readonly price: number }[]
}
