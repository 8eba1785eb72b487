import {
  type Call,
  filled,
  firstText,
  keyAmong,
  membersOf,
  numberOf,
  type Received,
  type Translated,
} from './call.ts'

type Members = Readonly<Record<string, unknown>>

/** `/api/event`. Its script knows no key: the domain of the site is ours. */
export function fromPlausible({ body }: Received): Translated {
  const event = membersOf(body)
  return { key: keyAmong(event.d, event.domain), calls: [plausibleCall(event)] }
}

function plausibleCall(event: Members): Call {
  const name = event.n ?? event.name
  const context = { page: filled({ url: event.u ?? event.url, referrer: referrerOf(event) }) }
  const properties = { ...propertiesOf(event.p ?? event.props ?? event.m ?? event.meta), ...moneyOf(event) }
  if (name === 'pageview') return { type: 'page', context, properties }
  if (name !== 'engagement') return { event: name, context, properties }
  // How long and how far a page was read.
  return { event: 'page_leave', context, properties: { ...properties, duration_ms: numberOf(event.e) ?? 0 } }
}

const referrerOf = ({ r, referrer }: Members) => firstText(r, referrer)

/** Older scripts send them as text. */
function propertiesOf(value: unknown): Members {
  if (typeof value !== 'string') return membersOf(value)
  try {
    return membersOf(JSON.parse(value))
  } catch {
    return {}
  }
}

function moneyOf({ $, revenue }: Members): Members {
  const { amount, currency } = membersOf($ ?? revenue)
  return filled({ amount: numberOf(amount), currency })
}
