import { dayMs } from '../platform/units.ts'
import { type EventFilter, eventsOf } from '../store/event-filter.ts'
import type { Count, Events } from '../store/events.ts'
import { lookOf } from './fingerprint.ts'
import { looksDays, type Seen, watchedDays } from './watch.ts'

/** Elements of a site that are watched: those that are clicked most. */
const elementsMax = 1_000
const pagesMax = 1_000

/** Ids in a path are folded, so that all products are one page. */
const page = `replaceRegexpAll(path, '/([0-9]+|[0-9a-fA-F]{8,}|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27})(?:/|$)', '/:id/')`
const pageExpression = `if(length(${page}) > 1, trimRight(${page}, '/'), ${page})`

export type Alias = { page: string; alias: string; selector: string }

type ClickRow = {
  page_path: string
  element_selector: string
  days: Count[]
  counts: Count[]
  last_ms: Count
  before_clicks: Count
  before: string[]
  before_texts: Count
  now_clicks: Count
  now: string[]
  now_texts: Count
}

/** Clicks by element and day; day 0 is the oldest. What was accepted as the same element is one. */
export async function selectClicks(
  events: Events,
  filter: EventFilter,
  nowMs: number,
  aliases: readonly Alias[],
): Promise<Seen[]> {
  const fromMs = nowMs - watchedDays * dayMs
  const { from, where, params } = eventsOf(filter, { fromMs, toMs: nowMs })
  const look = '[text, fingerprint, raw_selector]'
  const rows = await events.query<ClickRow>(
    `SELECT page_path, element_selector, sumMap([day], [toUInt64(1)]) AS by_day, by_day.1 AS days, by_day.2 AS counts,
            toUnixTimestamp64Milli(max(ts)) AS last_ms, countIf(NOT is_recent) AS before_clicks,
            argMaxIf(${look}, ts, NOT is_recent) AS before, uniqExactIf(text, NOT is_recent) AS before_texts,
            countIf(is_recent) AS now_clicks, argMaxIf(${look}, ts, is_recent) AS now,
            uniqExactIf(text, is_recent) AS now_texts
     FROM (
       SELECT ts, ${pageExpression} AS page_path, JSONExtractString(properties, 'selector') AS raw_selector,
              transform(concat(page_path, ' ', raw_selector), {aliases:Array(String)}, {selectors:Array(String)},
                        raw_selector) AS element_selector,
              JSONExtractString(properties, 'text') AS text, JSONExtractRaw(properties, 'fingerprint') AS fingerprint,
              intDiv(toUnixTimestamp64Milli(ts) - {fromMs:Int64}, ${dayMs}) AS day,
              day >= ${watchedDays - looksDays} AS is_recent
       FROM ${from} WHERE ${where} AND name = '$click'
     ) WHERE raw_selector != '' GROUP BY page_path, element_selector ORDER BY count() DESC LIMIT ${elementsMax}`,
    {
      ...params,
      aliases: aliases.map((one) => `${one.page} ${one.alias}`),
      selectors: aliases.map(({ selector }) => selector),
    },
  )
  return rows.map(toSeen)
}

function toSeen(row: ClickRow): Seen {
  const clicks = new Array<number>(watchedDays).fill(0)
  for (const [index, day] of row.days.entries()) clicks[Number(day)] = Number(row.counts[index])
  const look = (count: Count, [text = '', fingerprint = '', selector = '']: string[], texts: Count) =>
    Number(count) === 0 ? null : lookOf(text, Number(texts), selector, fingerprint)
  return {
    page: row.page_path,
    selector: row.element_selector,
    clicks,
    before: look(row.before_clicks, row.before, row.before_texts),
    now: look(row.now_clicks, row.now, row.now_texts),
    lastMs: Number(row.last_ms),
  }
}

/** Views of each page, by day. */
export async function selectViews(
  events: Events,
  filter: EventFilter,
  nowMs: number,
): Promise<Map<string, number[]>> {
  const fromMs = nowMs - watchedDays * dayMs
  const { from, where, params } = eventsOf(filter, { fromMs, toMs: nowMs })
  const rows = await events.query<{ page_path: string; days: Count[]; counts: Count[] }>(
    `SELECT ${pageExpression} AS page_path, sumMap([day], [toUInt64(1)]) AS by_day, by_day.1 AS days, by_day.2 AS counts
     FROM (
       SELECT path, intDiv(toUnixTimestamp64Milli(ts) - {fromMs:Int64}, ${dayMs}) AS day
       FROM ${from} WHERE ${where} AND name = '$pageview'
     ) GROUP BY page_path ORDER BY count() DESC LIMIT ${pagesMax}`,
    params,
  )
  return new Map(
    rows.map(({ page_path, days, counts }) => {
      const views = new Array<number>(watchedDays).fill(0)
      for (const [index, day] of days.entries()) views[Number(day)] = Number(counts[index])
      return [page_path, views]
    }),
  )
}
