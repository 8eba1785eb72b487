import { fromMajor, type Money } from '../money.ts'
import {
  identify,
  known,
  mapped,
  type Normalised,
  toItem,
  unmapped,
  type Who,
  withMoney,
} from '../normal-form.ts'
import {
  at,
  firstText,
  isPayload,
  listAt,
  numberAt,
  type Payload,
  readJson,
  textAt,
  timeAt,
} from '../payload.ts'
import { bodyHmac } from '../schemes.ts'
import { readObject, type Vendor, type VendorEvent } from '../vendor.ts'
import { refuse, type Signed, type Verification } from '../verification.ts'

const ofSingleEvent = bodyHmac({ headers: ['x-signature'], encoding: 'hex', digest: 'SHA-1' })

/** In a batch only the first event is signed; anyone could have added the others. */
async function verify(signed: Signed): Promise<Verification> {
  if (Array.isArray(readJson(signed.body))) {
    return refuse(
      'batch_not_signed',
      'Turn batching off in the webhook destination: Segment signs the first event only.',
    )
  }
  return ofSingleEvent(signed)
}

export const segment: Vendor = {
  provider: 'segment',
  normalise,
  isRelay: true,
  verify,
  read: (body) =>
    readObject(body, (payload) => ({
      id: textAt(payload, 'messageId') ?? null,
      type: firstText(payload, 'type') ?? 'unknown',
      occurredAt: timeAt(payload, 'originalTimestamp', 'iso') ?? timeAt(payload, 'timestamp', 'iso') ?? null,
    })),
}

type Told = { id: string | null; occurredAt: number | null; payload: Payload; properties: Payload; who: Who }

function normalise({ id, type, occurredAt, payload }: VendorEvent): Normalised {
  const told: Told = {
    id,
    occurredAt,
    payload,
    properties: isPayload(payload.properties) ? payload.properties : {},
    who: {
      userId: textAt(payload, 'userId'),
      vendorId: textAt(payload, 'anonymousId'),
      email: firstText(payload, 'context.traits.email', 'traits.email'),
    },
  }
  if (type === 'identify') {
    const traits = {
      email: textAt(payload, 'traits.email'),
      name: textAt(payload, 'traits.name'),
      plan: textAt(payload, 'traits.plan'),
    }
    return mapped({ ...identify(`${id}`, told.who, occurredAt, traits), context: contextOf(payload) })
  }
  if (type === 'page' || type === 'screen') return pageview(told)
  return type === 'track' ? track(told) : unmapped('no_rule')
}

const contextOf = (payload: Payload) => (isPayload(payload.context) ? payload.context : {})

function make(told: Told, event: string, properties: Readonly<Record<string, unknown>>) {
  const { id, who, occurredAt, payload } = told
  return { event, key: `${id}`, who, occurredAt, properties: known(properties), context: contextOf(payload) }
}

function pageview(told: Told): Normalised {
  const { payload } = told
  const url = firstText(payload, 'properties.url', 'properties.path', 'context.page.url', 'name')
  const title = firstText(payload, 'properties.title', 'name', 'context.page.title') ?? url
  if (url === undefined) return unmapped('incomplete')
  const referrer = firstText(payload, 'properties.referrer', 'context.page.referrer')
  return mapped(make(told, '$pageview', { ...told.properties, url, title, referrer }))
}

/** Names of Segment's specification. All others are the customer's, and the gate decides. */
const standardNames: Readonly<Record<string, (told: Told) => Normalised>> = {
  'Order Completed': (told) => paid(told, '$purchase'),
  'Order Refunded': (told) => paid(told, '$refund'),
  'Signed Up': (told) => mapped(make(told, '$signup', { ...told.properties, method: methodOf(told) })),
  'Signed In': (told) => mapped(make(told, '$login', { ...told.properties, method: methodOf(told) })),
  'Products Searched': (told) => mapped(make(told, '$search', told.properties)),
  'Invite Sent': (told) =>
    mapped(
      make(told, '$invite', { ...told.properties, channel: textAt(told.properties, 'channel') ?? 'email' }),
    ),
  'Trial Started': (told) => subscribe(told, true),
  'Subscription Started': (told) => subscribe(told, false),
  'Subscription Created': (told) => subscribe(told, false),
  'Product Shared': shared,
  'Cart Shared': shared,
}

function track(told: Told): Normalised {
  const name = textAt(told.payload, 'event')
  if (name === undefined) return unmapped('incomplete')
  const rule = Object.hasOwn(standardNames, name) ? standardNames[name] : undefined
  return rule === undefined ? mapped(make(told, name, told.properties)) : rule(told)
}

const methodOf = ({ properties }: Told) => firstText(properties, 'method', 'type', 'provider') ?? 'segment'

/** Segment sends prices in major units, in dollars if it names no currency. */
function moneyOf({ properties }: Told, ...names: readonly string[]): Money | null {
  const name = names.find((one) => at(properties, one) !== undefined)
  return name === undefined ? null : fromMajor(at(properties, name), textAt(properties, 'currency') ?? 'USD')
}

function paid(told: Told, event: '$purchase' | '$refund'): Normalised {
  const { properties } = told
  const items = listAt(properties, 'products').map((product) =>
    toItem(product, firstText(product, 'sku', 'product_id'), 'quantity'),
  )
  return withMoney(moneyOf(told, 'revenue', 'total', 'value'), (money) =>
    make(told, event, {
      ...money,
      order_id: textAt(properties, 'order_id'),
      items: items.length === 0 ? undefined : items,
      coupon: textAt(properties, 'coupon'),
    }),
  )
}

function subscribe(told: Told, isTrial: boolean): Normalised {
  const plan = firstText(told.properties, 'plan', 'plan_name', 'plan_id')
  if (plan === undefined) return unmapped('incomplete')
  return withMoney(moneyOf(told, 'amount', 'price', 'revenue', 'total'), (money) =>
    make(told, '$subscribe', {
      plan,
      ...money,
      interval: firstText(told.properties, 'interval', 'billing_interval'),
      trial: isTrial,
    }),
  )
}

function shared(told: Told): Normalised {
  const { properties } = told
  return mapped(
    make(told, '$share', {
      channel: firstText(properties, 'share_via', 'channel') ?? 'unknown',
      content_id: firstText(properties, 'product_id', 'cart_id'),
      url: textAt(properties, 'url'),
      recipients: numberAt(properties, 'recipients'),
    }),
  )
}
