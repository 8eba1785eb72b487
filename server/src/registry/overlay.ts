import { currencyCodes, standardByName } from '@assay/contract'
import type { QueryParams } from '../store/events.ts'

/** A rule laid over stored events of a site: reads show the target where the rule would have given it. */
export type Overlay = {
  id: string
  siteId: string
  /** Events of this time … */
  fromMs: number
  toMs: number
  /** … that had arrived when the back-fill was made. */
  madeMs: number
  /** The spellings of the source. */
  sentNames: readonly string[]
  target: string
  moves: readonly { from: string; to: string }[]
  /** Whether order ids come or go with it, which decides anew what is the first sighting of an order. */
  hasOrders: boolean
}

/** What a read takes its rows from, and the parameters that this needs. */
export type EventsSource = { from: string; params: QueryParams }

const storedEvents: EventsSource = { from: 'events', params: {} }

/** As in the ingest: the events that carry money, and those whose order counts once. */
const moneyEvents: ReadonlySet<string> = new Set(['$purchase', '$subscribe', '$upgrade', '$refund'])
const orderEvent = '$purchase'
/** Decimal(18, 4) holds fourteen digits before the point; the ingest draws the same line. */
const amountMax = '1e13'

/**
 * The events with every overlay laid over them: the table itself where there is none. A row has at most one overlay,
 * since back-fills of one source and site do not overlap in time. No row is written anywhere.
 */
export function eventsSource(workspaceId: string, overlays: readonly Overlay[]): EventsSource {
  if (overlays.length === 0) return storedEvents
  const renamed = renamedRows(overlays.length)
  const hasOrders = overlays.some((overlay) => overlay.hasOrders)
  return {
    from: hasOrders ? withFirstSightings(renamed) : renamed,
    params: overlayParams(workspaceId, overlays),
  }
}

/** Overlays that can change what a read of this site and time answers. */
export function overlaysFor(
  overlays: readonly Overlay[],
  siteId: string,
  fromMs: number,
  toMs: number,
): readonly Overlay[] {
  const ofSite = overlays.filter((overlay) => overlay.siteId === siteId)
  // An order that is first seen before the read's time makes its later sightings repeats.
  return ofSite.some((overlay) => overlay.hasOrders || (overlay.fromMs < toMs && overlay.toMs > fromMs))
    ? ofSite
    : []
}

/** How many stored events take the new name between two times, how many cannot, and whether any has an order id. */
export function countSql(): string {
  return `
    SELECT countIf(overlay_takes > 0) AS events, countIf(overlay_takes = 0) AS incomplete,
           countIf(overlay_takes > 0 AND (order_id != '' OR overlay_order_id != '')) AS orders
    FROM ${judgedRows(1)}
    WHERE overlay > 0 AND ts >= fromUnixTimestamp64Milli({sliceFrom:Int64}, 'UTC')
      AND ts < fromUnixTimestamp64Milli({sliceTo:Int64}, 'UTC')`
}

/** Lists with a member an overlay, so that the query is equally long for one rule and for twenty. */
export function overlayParams(workspaceId: string, overlays: readonly Overlay[]): QueryParams {
  const keysOf = (property: string, isWanted: (target: string) => boolean) =>
    overlays.map((overlay) => (isWanted(overlay.target) ? candidates(overlay, property) : []))
  const requiredKeys = (isNumber: boolean) =>
    overlays.map((overlay) => {
      const names = requiredOf(overlay.target).filter(({ type }) => (type === 'number') === isNumber)
      // The store cannot tell the type of a list of empty lists, so a list that asks for nothing stands for none.
      return names.length === 0 ? [['']] : names.map(({ name }) => candidates(overlay, name))
    })
  const carriesMoney = (target: string) => moneyEvents.has(target)
  const matches = overlays.map((overlay, index) => ({
    [`overlay${index}Site`]: overlay.siteId,
    [`overlay${index}From`]: overlay.fromMs,
    [`overlay${index}To`]: overlay.toMs,
    [`overlay${index}Made`]: overlay.madeMs,
    [`overlay${index}Names`]: overlay.sentNames,
  }))
  return {
    overlayWorkspace: workspaceId,
    overlayTargets: overlays.map((overlay) => overlay.target),
    overlayCurrencies: [...currencyCodes],
    overlayNumbers: requiredKeys(true),
    overlayTexts: requiredKeys(false),
    overlayNeedsCurrency: overlays.map(({ target }) => (needsCurrency(target) ? 1 : 0)),
    overlayAmountKeys: keysOf('amount', carriesMoney),
    overlayCurrencyKeys: keysOf('currency', carriesMoney),
    overlayOrderKeys: keysOf('order_id', (target) => target === orderEvent),
    ...Object.assign({}, ...matches),
  }
}

/** Rows of the workspace, each with the number of the overlay that speaks of it, or 0. */
function markedRows(count: number): string {
  const time = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`
  const marks = Array.from({ length: count }, (_, index) => {
    const matches = [
      `site_id = {overlay${index}Site:String}`,
      `ts >= ${time(`overlay${index}From`)}`,
      `ts < ${time(`overlay${index}To`)}`,
      `received_at <= ${time(`overlay${index}Made`)}`,
      `name != {overlayTargets:Array(String)}[${index + 1}]`,
      `if(sent_name = '', name, sent_name) IN {overlay${index}Names:Array(String)}`,
    ]
    return `${matches.join(' AND ')}, ${index + 1}`
  })
  return `(SELECT *, multiIf(${marks.join(', ')}, 0) AS overlay FROM events
    WHERE workspace_id = {overlayWorkspace:String})`
}

/** The first of these members that is there; empty when none is. */
const firstGiven = (keys: string) =>
  `arrayFirst(key -> JSONExtractRaw(overlay_properties, key) NOT IN ('', 'null'), ${keys})`
/** A number, or a text that is one in JSON's grammar, which the gate converts. */
const isNumber = '^(-?[0-9].*|"-?(0|[1-9][0-9]*)(\\\\.[0-9]+)?([eE][+-]?[0-9]+)?")$'
const isNoText = '^[\\\\[{]'
const rawOf = (key: string) => `JSONExtractRaw(overlay_properties, ${key})`
/** A value as text; numbers and booleans as they are written, lists and objects not at all. */
const textOf = (key: string) =>
  `multiIf(startsWith(${rawOf(key)}, '"'), JSONExtractString(overlay_properties, ${key}),
     match(${rawOf(key)}, '${isNoText}'), '', ${rawOf(key)})`

/**
 * Adds the values that the rule gives a row, and whether the row has all that the target requires, of the right type
 * or convertible to it. Rows without an overlay have no text to be parsed here, so they cost next to nothing.
 */
function judgedRows(count: number): string {
  const keys = `
    SELECT *, ${firstGiven('{overlayAmountKeys:Array(Array(String))}[overlay]')} AS overlay_amount_key,
           ${firstGiven('{overlayCurrencyKeys:Array(Array(String))}[overlay]')} AS overlay_currency_key,
           ${firstGiven('{overlayOrderKeys:Array(Array(String))}[overlay]')} AS overlay_order_key,
           arrayAll(keys -> keys = [''] OR match(${rawOf(firstGiven('keys'))}, '${isNumber}'),
                    {overlayNumbers:Array(Array(Array(String)))}[overlay])
           AND arrayAll(keys -> keys = [''] OR match(${rawOf(firstGiven('keys'))}, '^[^\\\\[{]'),
                        {overlayTexts:Array(Array(Array(String)))}[overlay]) AS overlay_is_complete
    FROM (SELECT *, if(overlay > 0, properties, '') AS overlay_properties FROM ${markedRows(count)})`
  const values = `
    SELECT *, toFloat64OrNull(${textOf('overlay_amount_key')}) AS overlay_amount,
           upper(${textOf('overlay_currency_key')}) AS overlay_currency,
           ${textOf('overlay_order_key')} AS overlay_order_id,
           has({overlayCurrencies:Array(String)}, overlay_currency) AS overlay_has_currency
    FROM (${keys})`
  return `(
    SELECT *, if(overlay > 0 AND overlay_is_complete
                 AND (overlay_has_currency OR {overlayNeedsCurrency:Array(UInt8)}[overlay] = 0), overlay, 0) AS overlay_takes,
           ifNull(overlay_has_currency AND abs(overlay_amount) < ${amountMax}, 0) AS overlay_has_money
    FROM (${values}))`
}

/** The same columns as the table, under the names and with the money that the rules give. */
function renamedRows(count: number): string {
  return `(
    SELECT * REPLACE (
      if(overlay_takes > 0, {overlayTargets:Array(String)}[overlay_takes], name) AS name,
      multiIf(overlay_takes = 0, amount,
              overlay_has_money, toDecimal64OrNull(toString(round(ifNull(overlay_amount, 0), 4)), 4), NULL) AS amount,
      multiIf(overlay_takes = 0, toString(currency), overlay_has_money, overlay_currency, '') AS currency,
      if(overlay_takes > 0, overlay_order_id, order_id) AS order_id)
    FROM ${judgedRows(count)})`
}

/**
 * An order counts once a site. Of an order that an overlay brings, the first to arrive counts, be it renamed or not;
 * of two that arrived in the same millisecond the one with the lower event id.
 */
function withFirstSightings(renamed: string): string {
  const repeats = `(
    SELECT arrayJoin(arraySlice(arraySort(groupArray((received_at, event_id))), 2)).2 FROM ${renamed}
    WHERE name = '${orderEvent}' AND order_id != '' GROUP BY site_id, order_id HAVING max(overlay_takes) > 0)`
  return `(
    SELECT * REPLACE (toUInt8(multiIf(event_id IN ${repeats}, 0, overlay_takes > 0, 1, counted)) AS counted)
    FROM ${renamed})`
}

function requiredOf(target: string): { name: string; type: string; format: string | undefined }[] {
  return Object.entries(standardByName.get(target)?.properties ?? {})
    .filter(([, rule]) => rule.required === true)
    .map(([name, { type, format }]) => ({ name, type, format }))
}

function needsCurrency(target: string): boolean {
  return requiredOf(target).some(({ format }) => format === 'currency')
}

/**
 * Where a canonical property comes from: one that was sent wins; then the moves onto it, in their order. A rule that
 * moves the canonical property itself away leaves nothing under its name.
 */
function candidates({ moves }: Overlay, property: string): string[] {
  if (moves.some(({ from }) => from === property)) return []
  return [property, ...moves.filter(({ to }) => to === property).map(({ from }) => from)]
}
