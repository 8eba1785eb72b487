import { runSql } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { escapes } from './testing/escapes.ts'
import { mark, type SqlWorld, startSqlWorld } from './testing/sql-world.ts'

let sql: SqlWorld
beforeAll(async () => {
  sql = await startSqlWorld()
}, 180_000)
afterAll(() => sql?.world.close())

/** Of the store itself: none of it belongs into an answer. */
const innerWords =
  /workspace_id|person_key|column_title|__table|MergeTree|assay_\d|default\.events|DB::|Code: |\/tmp\//

test('nothing that is written reaches beyond the tables of the site', async () => {
  for (const query of escapes) {
    const { status, body, text } = await sql.ask(query, { limit: 10_000 })
    const report = `${query}\n${status} ${text.slice(0, 500)}`
    expect([200, 422], report).toContain(status)
    // What was written may be quoted.
    const shown = query.includes(mark) ? text.replaceAll(JSON.stringify(query).slice(1, -1), '') : text
    if (status === 200) expect(JSON.stringify(body.rows), report).not.toContain(mark)
    else expect(shown.replaceAll(/“[^”]*”/g, ''), report).not.toMatch(innerWords)
    expect(shown.toLowerCase().includes(`${mark.toLowerCase()}.example`), report).toBe(false)
  }
}, 300_000)

test('a comparison that fails for rows of others does not fail', async () => {
  for (const query of [
    "SELECT count() FROM events WHERE event = '$pageview' AND toInt64(title) >= 0",
    "SELECT count() FROM events WHERE intDiv(1, if(title = 'FOREIGN', 0, 1)) = 1",
    "SELECT count() FROM events WHERE toFloat64(if(utm_source = 'FOREIGN', 'x', '1')) = 1",
    "SELECT count() FROM events WHERE toInt64(replaceAll(hostname, 'shop.example', '1')) = 1",
    "SELECT count() FROM sessions WHERE intDiv(1, if(utm_source = 'FOREIGN', 0, 1)) = 1",
  ]) {
    const { status, text } = await sql.ask(query)
    expect(status, `${query}\n${text}`).toBe(200)
  }
})

test('the other site and the other workspace are there, for those who may read them', async () => {
  const { body } = await sql.shop.call(runSql, {
    body: {
      siteId: sql.otherSiteId,
      from: '2026-11-10',
      to: '2026-11-14',
      query: 'SELECT count(), max(title) FROM events',
    },
  })
  expect(body.rows).toEqual([[40, mark]])
})
