import { getOverview, runQuery } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mark, type SqlWorld, startSqlWorld } from './testing/sql-world.ts'

let sql: SqlWorld
beforeAll(async () => {
  sql = await startSqlWorld()
}, 180_000)
afterAll(() => sql?.world.close())

async function rows(query: string, members = {}): Promise<unknown> {
  const { body, text, status } = await sql.ask(query, members)
  expect(status, `${query}\n${text}`).toBe(200)
  expect(text).not.toContain(mark)
  return body.rows
}
const period = { from: '2026-11-10', to: '2026-11-14' }

test('figures are those of the overview', async () => {
  const { body } = await sql.shop.call(getOverview, { query: { siteId: sql.shop.siteId, ...period } })
  const { visitors, sessions, pageviews, events, conversions, bounceRate, avgSessionMs, revenue } =
    body.metrics
  expect({ visitors, sessions, events }).toEqual({ visitors: 5, sessions: 6, events: 13 })
  expect(
    await rows(`
      SELECT uniqExact(person_id), uniqExact(session_id), countIf(event = '$pageview'), count(), sum(amount)
      FROM events`),
  ).toEqual([[visitors, sessions, pageviews, events, revenue]])
  expect(
    await rows(`
      SELECT count(), sum(events), sum(pageviews), sum(conversions), avg(is_bounce), avg(duration_ms),
        uniqExact(person_id)
      FROM sessions`),
  ).toEqual([[sessions, events, pageviews, conversions, bounceRate, avgSessionMs, visitors]])
})

test('days are those of the zone, and breakdowns those of questions', async () => {
  const answer = await sql.shop.call(runQuery, {
    body: { siteId: sql.shop.siteId, ...period, metrics: ['visitors'], dimensions: ['utm.campaign'] },
  })
  expect(await rows('SELECT utm_campaign, uniqExact(person_id) FROM sessions GROUP BY 1')).toEqual(
    answer.body.rows.map((row) => [row.dimensions[0], row.metrics.visitors]),
  )
  expect(
    await rows('SELECT toDate(time) AS day, count() FROM events GROUP BY day ORDER BY day', {
      timezone: 'Asia/Tokyo',
    }),
  ).toEqual([
    ['2026-11-11', 5],
    ['2026-11-12', 4],
    ['2026-11-13', 4],
  ])
  expect(await rows('SELECT toString(min(time)) FROM events')).toEqual([['2026-11-11 11:00:00.000']])
})

test('properties are read by their names', async () => {
  expect(
    await rows(`
      SELECT properties.plan, properties['plan'] AS again, e.properties.cart.items AS items, count()
      FROM events AS e WHERE properties.plan != '' GROUP BY 1, 2, 3 ORDER BY items`),
  ).toEqual([
    ['pro', 'pro', '0', 1],
    ['pro', 'pro', '1', 1],
    ['pro', 'pro', '2', 1],
  ])
})

test('bots are left out unless asked for', async () => {
  expect(await rows('SELECT count() FROM events WHERE is_bot = 1', { includeBots: true })).toEqual([[1]])
  expect(await rows('SELECT count() FROM events WHERE is_bot = 1')).toEqual([[0]])
})

test('the dialect has WITH, joins, unions, windows, lambdas, CASE, IN and subqueries', async () => {
  expect(
    await rows(`
      WITH firsts AS (SELECT session_id, min(time) AS started FROM events GROUP BY session_id), 2 AS two
      SELECT s.entry_page, count() AS n, countIf(f.started < '2026-11-12 00:00:00') AS early,
        sum(count()) OVER (ORDER BY s.entry_page ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running,
        CASE WHEN n > two THEN 'many' ELSE 'few' END AS size, arrayMap((x, y) -> x + y, [1, 2], [3, 4]) AS sums
      FROM sessions s
      LEFT JOIN firsts AS f ON f.session_id = s.session_id
      WHERE s.session_id IN (SELECT session_id FROM events WHERE event = '$pageview')
        AND s.country NOT IN ('XX') AND s.channel IS NOT NULL AND s.pageviews BETWEEN 1 AND 5
        AND EXISTS (SELECT 1 FROM events) AND s.entry_page LIKE '/%'
      GROUP BY s.entry_page HAVING n > 0 ORDER BY n DESC, s.entry_page LIMIT 5`),
  ).toEqual([['/', 6, 2, 6, 'many', [4, 6]]])
  expect(
    await rows(
      `WITH a AS (SELECT 1 AS x) SELECT x FROM a UNION ALL SELECT x + 1 FROM a UNION ALL (SELECT 3)`,
    ),
  ).toEqual(expect.arrayContaining([[1], [2], [3]]))
  expect(
    await rows('SELECT number, -number + 1.5e1, number::String, (1, 2).2 FROM numbers(2) ORDER BY number;'),
  ).toEqual([
    [0, 15, '0', 2],
    [1, 14, '1', 2],
  ])
  expect(
    await rows(`SELECT count(DISTINCT event), count(*), quantile(0.5)(amount) FROM events -- all of it`),
  ).toEqual([[2, 13, 11]])
})

test('columns have the names that were written', async () => {
  const { body } = await sql.ask(`SELECT count( ) , upper('a'), e.page, e.page AS p, f.page FROM events e
    CROSS JOIN (SELECT 1 AS one, '/x' AS page) AS f GROUP BY e.page, f.page`)
  const names = ['count( )', "upper('a')", 'e.page', 'p', 'f.page']
  expect(body.columns).toMatchObject(names.map((name) => ({ name })))
  const star = await sql.ask('SELECT * FROM events e CROSS JOIN (SELECT 1 AS one) AS f')
  expect(star.text).not.toContain('assay_')
})

test('texts and names come back as they are, whatever is in them', async () => {
  const odd = `'"\\\`{x:String}%_;--/*\u{1f600}é\n\t`
  const written = odd.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
  expect(await rows(`SELECT '${written}' AS "a name; with -- odd /* parts", length('\\d'), 'it''s'`)).toEqual(
    [[odd, 2, "it's"]],
  )
})

test('whole numbers beyond what a double holds are text', async () => {
  expect(
    await rows(
      'SELECT toUInt64(9007199254740993), toUInt64(9007199254740991), [toUInt64(18446744073709551615)]',
    ),
  ).toEqual([['9007199254740993', 9_007_199_254_740_991, ['18446744073709551615']]])
})

test('an answer has as many rows as asked for, and says if there are more', async () => {
  const four = await sql.ask('SELECT number FROM numbers(100000) ORDER BY number DESC', { limit: 4 })
  expect(four.body).toMatchObject({ rows: [[99999], [99998], [99997], [99996]], truncated: true })
  expect((await sql.ask('SELECT number FROM numbers(4)', { limit: 4 })).body).toMatchObject({
    truncated: false,
  })
})
