import { type Call, ga4Call, isRecord, printedText } from '@assay/contract'
import type { Row } from './records.ts'

/** One row of the BigQuery export. It has no id of an event, so one is made of what distinguishes events. */
export function ga4Calls(row: Row): Call[] {
  const { event_name, event_timestamp, user_pseudo_id, user_id, batch_event_index, batch_ordering_id } = row
  const ids = [user_pseudo_id, event_timestamp, event_name, batch_ordering_id, batch_event_index]
  const person = {
    ...(text(user_pseudo_id) !== undefined && { anonymousId: text(user_pseudo_id) }),
    ...(text(user_id) !== undefined && { userId: text(user_id) }),
  }
  const params = { ...valuesOf(row.event_params), ...orderOf(row) }
  const call = withLocation({ ...person, ...ga4Call({ name: event_name, params }, event_timestamp) }, row.geo)
  return [{ ...call, messageId: `ga4:${ids.map((id) => printedText(id ?? '')).join(':')}` }]
}

/** `{ "country": "Germany", "region": "Berlin", "city": "Berlin" }`, and `(not set)` for what is unknown. */
function withLocation(call: Call, geo: unknown): Call {
  if (!isRecord(geo)) return call
  const known = ['country', 'region', 'city'].flatMap((name) => {
    const value = text(geo[name])
    return value === undefined || value === '(not set)' ? [] : [[name, value] as const]
  })
  const context = isRecord(call.context) ? call.context : {}
  return known.length === 0 ? call : { ...call, context: { ...context, location: Object.fromEntries(known) } }
}

const text = (value: unknown) =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined

/** `[{ "key": "page_title", "value": { "string_value": "Home" } }]` */
function valuesOf(params: unknown): Call {
  if (!Array.isArray(params)) return isRecord(params) ? { ...params } : {}
  return Object.fromEntries(
    params
      .filter(isRecord)
      .map(({ key, value }) => [printedText(key), isRecord(value) ? typedValue(value) : value]),
  )
}

/** Integers are text there, since they may be larger than a number can hold. */
function typedValue({ string_value, int_value, float_value, double_value }: Row): unknown {
  if (typeof string_value === 'string') return string_value
  const number = int_value ?? double_value ?? float_value
  return number === undefined || number === null ? undefined : Number(printedText(number))
}

function orderOf({ ecommerce, items }: Row): Call {
  const order = isRecord(ecommerce) ? ecommerce : {}
  const id = text(order.transaction_id)
  return {
    ...(id !== undefined && id !== '(not set)' && { transaction_id: id }),
    ...(order.purchase_revenue !== undefined && { value: Number(printedText(order.purchase_revenue)) }),
    ...(Array.isArray(items) && items.length > 0 && { items }),
  }
}
