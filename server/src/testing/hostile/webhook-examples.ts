import { anyBody, type Signer, signers } from '../../../../sdk/server/src/webhooks/testing/signers.ts'
import {
  processorCases,
  shopCases,
  stripeCases,
} from '../../../../sdk/server/src/webhooks/testing/vectors/payments.ts'
import { peopleCases } from '../../../../sdk/server/src/webhooks/testing/vectors/people.ts'
import { subscriptionCases } from '../../../../sdk/server/src/webhooks/testing/vectors/subscriptions.ts'
import type { Example, Signed } from './example.ts'
import { freshId, type Json } from './example.ts'
import type { Things } from './things.ts'

const cases = [...stripeCases, ...shopCases, ...processorCases, ...subscriptionCases, ...peopleCases]

export const webhookProviders = Object.keys(signers).filter(isProvider)

function isProvider(name: string): name is keyof typeof signers {
  return Object.hasOwn(signers, name)
}

/** One delivery of each vendor that becomes an event, signed with the secret that its connection knows. */
export function signedDeliveries(things: Things): Example[] {
  return webhookProviders.flatMap((provider) => {
    const found = cases.find((one) => one.provider === provider && (one.events?.length ?? 0) > 0)
    if (found === undefined) return []
    // boundary: the vectors are plain data, written as such.
    const body = withFreshIds(found.body as Json)
    const signer = signers[provider]
    return [
      {
        params: { provider },
        query: { connection: things.connections[provider] ?? 'con_none' },
        body,
        sign: (text: string) => signedBy(signer, text, found.headers),
      },
    ]
  })
}

const idNames = /^(?:id|event_id|eventId|messageId|log_id|sg_event_id|webhook_id)$/

/** A vendor's repeat is answered as one, so each delivery gets an id of its own. */
function withFreshIds(value: Json): Json {
  if (Array.isArray(value)) return value.map(withFreshIds)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]): [string, Json] =>
    idNames.test(name) && typeof member === 'string'
      ? [name, `${member}${freshId}`]
      : [name, withFreshIds(member)],
  )
  return Object.fromEntries(members)
}

/** A vendor that signs within the body cannot sign what has no place for it; that goes out as it is. */
function signedBy(signer: Signer, text: string, more: Readonly<Record<string, string>> = {}): Signed {
  try {
    const { body, headers } = signer.sign(text, signer.secret, Date.now())
    return { body, headers: { ...more, ...headers } }
  } catch {
    return { body: text, headers: more }
  }
}

/** Some vendors sign the address that they were given. */
export function registeredUrl(provider: keyof typeof signers): string | undefined {
  const signer = signers[provider]
  return signer.sign(anyBody(provider), signer.secret, 0).url
}

export const secretOf = (provider: keyof typeof signers) => signers[provider].secret
