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

type Content = {
  id: string | null
  occurredAt: number | null
  payload: Payload
  properties: Payload
  who: Who
}

function normalise({ id, type, occurredAt, payload }: VendorEvent): Normalised {
  const content: Content = {
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
    return mapped({ ...identify(`${id}`, content.who, occurredAt, traits), context: contextOf(payload) })
  }
  if (type === 'page' || type === 'screen') return pageview(content)
  return type === 'track' ? track(content) : unmapped('no_rule')
}

const contextOf = (payload: Payload) => (isPayload(payload.context) ? payload.context : {})

function make(content: Content, event: string, properties: Readonly<Record<string, unknown>>) {
  const { id, who, occurredAt, payload } = content
  return { event, key: `${id}`, who, occurredAt, properties: known(properties), context: contextOf(payload) }
}

function pageview(content: Content): Normalised {
  const { payload } = content
  const url = firstText(payload, 'properties.url', 'properties.path', 'context.page.url', 'name')
  const title = firstText(payload, 'properties.title', 'name', 'context.page.title') ?? url
  if (url === undefined) return unmapped('incomplete')
  const referrer = firstText(payload, 'properties.referrer', 'context.page.referrer')
  return mapped(make(content, '$pageview', { ...content.properties, url, title, referrer }))
}

/** Names of Segment's specification. All others are the customer's, and the gate decides. */
const standardNames: Readonly<Record<string, (content: Content) => Normalised>> = {
  'Order Completed': (content) => paid(content, '$purchase'),
  'Order Refunded': (content) => paid(content, '$refund'),
  'Signed Up': (content) =>
    mapped(make(content, '$signup', { ...content.properties, method: methodOf(content) })),
  'Signed In': (content) =>
    mapped(make(content, '$login', { ...content.properties, method: methodOf(content) })),
  'Products Searched': (content) => mapped(make(content, '$search', content.properties)),
  'Invite Sent': (content) =>
    mapped(
      make(content, '$invite', {
        ...content.properties,
        channel: textAt(content.properties, 'channel') ?? 'email',
      }),
    ),
  'Trial Started': (content) => subscribe(content, true),
  'Subscription Started': (content) => subscribe(content, false),
  'Subscription Created': (content) => subscribe(content, false),
  'Product Shared': shared,
  'Cart Shared': shared,
}

function track(content: Content): Normalised {
  const name = textAt(content.payload, 'event')
  if (name === undefined) return unmapped('incomplete')
  const rule = Object.hasOwn(standardNames, name) ? standardNames[name] : undefined
  return rule === undefined ? mapped(make(content, name, content.properties)) : rule(content)
}

const methodOf = ({ properties }: Content) => firstText(properties, 'method', 'type', 'provider') ?? 'segment'

/** Segment sends prices in major units, in dollars if it names no currency. */
function moneyOf({ properties }: Content, ...names: readonly string[]): Money | null {
  const name = names.find((one) => at(properties, one) !== undefined)
  return name === undefined ? null : fromMajor(at(properties, name), textAt(properties, 'currency') ?? 'USD')
}

function paid(content: Content, event: '$purchase' | '$refund'): Normalised {
  const { properties } = content
  const items = listAt(properties, 'products').map((product) =>
    toItem(product, firstText(product, 'sku', 'product_id'), 'quantity'),
  )
  return withMoney(moneyOf(content, 'revenue', 'total', 'value'), (money) =>
    make(content, event, {
      ...money,
      order_id: textAt(properties, 'order_id'),
      items: items.length === 0 ? undefined : items,
      coupon: textAt(properties, 'coupon'),
    }),
  )
}

function subscribe(content: Content, isTrial: boolean): Normalised {
  const plan = firstText(content.properties, 'plan', 'plan_name', 'plan_id')
  if (plan === undefined) return unmapped('incomplete')
  return withMoney(moneyOf(content, 'amount', 'price', 'revenue', 'total'), (money) =>
    make(content, '$subscribe', {
      plan,
      ...money,
      interval: firstText(content.properties, 'interval', 'billing_interval'),
      trial: isTrial,
    }),
  )
}

function shared(content: Content): Normalised {
  const { properties } = content
  return mapped(
    make(content, '$share', {
      channel: firstText(properties, 'share_via', 'channel') ?? 'unknown',
      content_id: firstText(properties, 'product_id', 'cart_id'),
      url: textAt(properties, 'url'),
      recipients: numberAt(properties, 'recipients'),
    }),
  )
}
