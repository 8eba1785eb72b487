import { type Call, isRecord, numberOf, printedText } from '@assay/contract'
import { located, withoutEmpty } from './cells.ts'
import type { Row } from './records.ts'

/** A visit with its actions, as `Live.getLastVisitsDetails` answers. */
export function matomoCalls(visit: Row): Call[] {
  const actions = Array.isArray(visit.actionDetails) ? visit.actionDetails.filter(isRecord) : []
  const shared = withoutEmpty({
    anonymousId: visit.visitorId,
    userId: visit.userId,
    sessionId: visit.idVisit === undefined ? undefined : `matomo:${printedText(visit.idVisit)}`,
  })
  return actions.map((action, index) => ({
    ...shared,
    messageId: `matomo:${printedText(visit.idVisit)}:${index}`,
    timestamp: numberOf(action.timestamp),
    context: {
      page: withoutEmpty({
        url: action.url,
        title: action.pageTitle,
        // Only the first page has come from elsewhere.
        referrer: index === 0 ? visit.referrerUrl : undefined,
      }),
      ...located(visit.countryCode, visit.regionCode, visit.city),
    },
    ...whatOf(action),
  }))
}

function whatOf(action: Row): Call {
  switch (action.type) {
    case 'event': {
      const { eventCategory: category, eventAction, eventName: name, eventValue: value } = action
      return { event: eventAction, properties: withoutEmpty({ category, name, value: numberOf(value) }) }
    }
    case 'ecommerceOrder':
      return { event: '$purchase', properties: orderOf(action) }
    case 'search':
      return { event: '$search', properties: withoutEmpty({ query: action.siteSearchKeyword }) }
    case 'download':
      return { event: '$download', properties: { file_url: action.url } }
    case 'outlink':
      return { event: 'outbound_link', properties: { url: action.url } }
    case 'goal':
      return {
        event: `goal_${printedText(action.goalId)}`,
        properties: withoutEmpty({ amount: numberOf(action.revenue) }),
      }
    default:
      return { type: 'page', properties: {} }
  }
}

function orderOf({ orderId, revenue, currency, currencyCode, itemDetails }: Row): Call {
  const items = Array.isArray(itemDetails) ? itemDetails.filter(isRecord) : []
  return withoutEmpty({
    order_id: orderId,
    amount: numberOf(revenue),
    currency: currencyCode ?? currency,
    items: items.map(({ itemSKU, itemName, itemPrice, itemQuantity }) =>
      withoutEmpty({ sku: itemSKU, name: itemName, price: numberOf(itemPrice), qty: numberOf(itemQuantity) }),
    ),
  })
}
