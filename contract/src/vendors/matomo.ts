import {
  type Call,
  filled,
  firstText,
  keyAmong,
  membersOf,
  numberOf,
  type Received,
  requireFewEvents,
  type Translated,
  textOf,
} from './call.ts'

type Members = Readonly<Record<string, unknown>>

/** `/matomo.php`: one action in the query, or many in `requests`. The id of the site is our key. */
export function fromMatomo({ body, query }: Received): Translated {
  const envelope = membersOf(body)
  const { requests } = envelope
  const actions = Array.isArray(requests)
    ? requireFewEvents(requests).map(actionIn)
    : [{ ...query, ...envelope }]
  const [first = {}] = actions
  return {
    key: keyAmong(envelope.token_auth, query.token_auth, first.token_auth, first.idsite),
    calls: actions.filter(({ ping }) => ping !== '1').map(matomoCall),
  }
}

/** `?idsite=…&rec=1&…` */
function actionIn(request: unknown): Members {
  if (typeof request !== 'string') return membersOf(request)
  return Object.fromEntries(new URLSearchParams(request.replace(/^[^?]*\?/, '')))
}

function matomoCall(action: Members): Call {
  const [width, height] = (textOf(action.res) ?? '').split('x').map(Number)
  const shared = filled({
    userId: textOf(action.uid),
    anonymousId: firstText(action._id, action.cid),
    timestamp: timeOf(action.cdt),
    // Only a secret key may say so.
    historical: textOf(action.cdt) === undefined ? undefined : true,
    context: filled({
      page: filled({
        url: textOf(action.url),
        title: textOf(action.action_name),
        referrer: textOf(action.urlref),
      }),
      userAgent: textOf(action.ua),
      locale: textOf(action.lang)?.split(',', 1)[0],
      screen: width && height ? { width, height } : undefined,
    }),
  })
  return { ...shared, ...whatOf(action) }
}

/** Seconds, or `2026-01-31 12:00:00` in UTC. */
function timeOf(value: unknown): unknown {
  const text = textOf(value)
  if (text === undefined) return undefined
  return (
    numberOf(text) ?? (/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? `${text.replace(' ', 'T')}Z` : text)
  )
}

function whatOf(action: Members): Call {
  if (firstText(action.ec_id) !== undefined) return { event: '$purchase', properties: orderOf(action) }
  if (firstText(action.e_c, action.e_a) !== undefined) {
    const properties = filled({
      category: action.e_c,
      name: textOf(action.e_n),
      value: numberOf(action.e_v),
    })
    return { event: firstText(action.e_a, action.e_c), properties }
  }
  if (firstText(action.search) !== undefined) {
    return {
      event: '$search',
      properties: filled({ query: action.search, result_count: numberOf(action.search_count) }),
    }
  }
  if (firstText(action.download) !== undefined) {
    return { event: '$download', properties: { file_url: action.download } }
  }
  if (firstText(action.link) !== undefined)
    return { event: 'outbound_link', properties: { url: action.link } }
  const goal = firstText(action.idgoal)
  if (goal !== undefined && goal !== '0') {
    return { event: `goal_${goal}`, properties: filled({ amount: numberOf(action.revenue) }) }
  }
  return { type: 'page', properties: {} }
}

/** Its requests name no currency: that of the site is meant. */
function orderOf({ ec_id, revenue, ec_items, currency }: Members): Call {
  return filled({
    order_id: textOf(ec_id),
    amount: numberOf(revenue),
    currency: textOf(currency),
    items: itemsOf(ec_items),
  })
}

/** A list of `[sku, name, category, price, quantity]`. */
function itemsOf(value: unknown): Call[] | undefined {
  try {
    const items: unknown = typeof value === 'string' ? JSON.parse(value) : value
    if (!Array.isArray(items)) return undefined
    return items.filter(Array.isArray).map(([sku, name, category, price, qty]) =>
      filled({
        sku: textOf(sku),
        name: textOf(name),
        category,
        price: numberOf(price),
        qty: numberOf(qty),
      }),
    )
  } catch {
    return undefined
  }
}
