import { runSql, sqlLimits } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SqlWorld, startSqlWorld } from './testing/sql-world.ts'

let sql: SqlWorld
beforeAll(async () => {
  sql = await startSqlWorld()
}, 180_000)
afterAll(() => sql?.world.close())

async function refusal(query: string): Promise<string> {
  const { status, body, text } = await sql.ask(query)
  expect(status, `${query}\n${text.slice(0, 300)}`).toBe(422)
  return String(body.detail)
}

test('a refusal says what is wrong, and where', async () => {
  expect(await refusal('SELECT page,\n  pge FROM events')).toMatch(
    /^query, line 2, column 3: There is no column “pge”; events has time, .*sessions has session_id, /,
  )
  expect(await refusal('SELECT 1 FROM pages')).toBe(
    'query, line 1, column 15: There is no table “pages” here; there are events and sessions.',
  )
  expect(await refusal('SELECT page FROM')).toContain(
    'line 1, column 17: a name is expected, and the query ends here',
  )
  expect(await refusal('SELECT sleep(1)')).toBe('query, line 1, column 8: There is no function “sleep” here.')
  expect(await refusal('SELECT 1 SETTINGS x = 1')).toBe('query, line 1, column 10: SETTINGS cannot be used.')
  expect(await refusal('SELECT toInt64(page) FROM events')).toBe(
    'query: A text cannot be read as this type. Functions that end in OrNull give NULL instead.',
  )
  expect(await refusal('SELECT page, count() FROM events')).toContain(
    'neither in GROUP BY nor within an aggregate',
  )
  expect(await refusal('SELECT e.page FROM events AS f')).toContain('There is no table “e” in FROM')
  expect(await refusal("SELECT 1 + 'x'")).toContain('type')
})

test('what takes too much is refused, and says what to narrow', async () => {
  expect(await refusal('SELECT sum(cityHash64(number)) FROM numbers(99999999999)')).toMatch(
    /Ask for a shorter period/,
  )
  expect(await refusal('SELECT groupArray(toString(number)) FROM numbers(90000000)')).toMatch(/memory|10 s/)
  expect(await refusal('SELECT length(range(20000000))')).toContain('out of its range')
}, 60_000)

test('a short text that means a long query is refused at once', async () => {
  const doubled = Array.from({ length: 40 }, (_, index) => `(a${index} + a${index}) AS a${index + 1}`)
  expect(await refusal(`WITH 1 AS a0, ${doubled.join(', ')} SELECT a40`)).toContain('too long')
  const joined = Array.from(
    { length: 20 },
    (_, index) => `q${index + 1} AS (SELECT x.page FROM q${index} AS x CROSS JOIN q${index} AS y)`,
  )
  expect(
    await refusal(`WITH q0 AS (SELECT page FROM events), ${joined.join(', ')} SELECT count() FROM q20`),
  ).toContain('more than 20 tables')
  expect(await refusal(`SELECT ${'('.repeat(5_000)}1${')'.repeat(5_000)}`)).toMatch(/levels|too long/)
  expect(await refusal(`SELECT ${'NOT '.repeat(3_000)}1`)).toMatch(/levels|expected|too long/)
  expect(await refusal(`SELECT ${'1+'.repeat(7_000)}1`)).toMatch(/too long/)
})

test('the text of a query has a maximum', async () => {
  const long = `SELECT '${'x'.repeat(sqlLimits.queryCharactersMax - 9)}'`
  expect((await sql.ask(long)).status).toBe(200)
  expect((await sql.ask(`${long} `)).status).toBe(422)
})

test('rows beyond the size of an answer are left out', async () => {
  const { body } = await sql.ask(
    "SELECT arrayStringConcat(arrayMap(x -> 'xxxxxxxxxx', range(100000))) FROM numbers(20)",
  )
  expect(body.truncated).toBe(true)
  expect(Array.isArray(body.rows) && body.rows.length).toBe(7)
})

test('roles and keys that may not read people may not ask', async () => {
  const ask = { body: { siteId: sql.shop.siteId, query: 'SELECT 1' } }
  const viewer = await sql.world.signIn('viewer', sql.shop)
  const analyst = await sql.world.signIn('analyst', sql.shop)
  expect((await viewer.call(runSql, ask)).status).toBe(403)
  expect((await analyst.call(runSql, ask)).status).toBe(200)
  expect((await sql.shop.call(runSql, ask, { key: sql.shop.keys.public })).status).toBe(403)
  expect((await sql.shop.call(runSql, ask, { key: null })).status).toBe(401)
})

test('CSV has a line for each row', async () => {
  const { url } = sql.world.product
  const answer = await fetch(`${url}/api/analytics/sql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${sql.shop.keys.live}`,
      'content-type': 'application/json',
      accept: 'text/csv',
    },
    body: JSON.stringify({
      siteId: sql.shop.siteId,
      query: "SELECT 1 AS a, [1, 2] AS b, '=x' AS c, NULL AS d",
    }),
  })
  expect(answer.headers.get('content-type')).toContain('text/csv')
  expect(await answer.text()).toBe(`a,b,c,d\r\n1,"[1,2]",'=x,\r\n`)
})
