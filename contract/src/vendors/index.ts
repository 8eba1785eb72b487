import { fromAmplitude } from './amplitude.ts'
import { membersOf, type Received, type Translated } from './call.ts'
import { fromGa4 } from './ga4.ts'
import { fromMatomo } from './matomo.ts'
import { fromMixpanel, fromMixpanelPeople } from './mixpanel.ts'
import { fromPlausible } from './plausible.ts'
import { fromPosthog } from './posthog.ts'
import { fromUmami } from './umami.ts'

/** Clients of other tools, by the form of their requests. */
export const translators = {
  posthog: fromPosthog,
  plausible: fromPlausible,
  umami: fromUmami,
  ga4: fromGa4,
  amplitude: fromAmplitude,
  mixpanel: fromMixpanel,
  mixpanelPeople: fromMixpanelPeople,
  matomo: fromMatomo,
  /** Both have the address `/batch`. */
  batch: (received: Received) =>
    'events' in membersOf(received.body) ? fromAmplitude(received) : fromPosthog(received),
} as const satisfies Readonly<Record<string, (received: Received) => Translated>>

export type OtherClient = keyof typeof translators

export { amplitudeCalls } from './amplitude.ts'
export type { Call, Received, Translated } from './call.ts'
export { numberOf, requireFewEvents } from './call.ts'
export { ga4Call } from './ga4.ts'
export { mixpanelCall } from './mixpanel.ts'
export { posthogCall } from './posthog.ts'
