import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sqlExamples, sqlTables } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eraseEverywhere } from '../testing/erasure.ts'
import { mark, type SqlWorld, startSqlWorld } from './testing/sql-world.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/sql.md'), 'utf8')
const queries = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, query = '']) => query)

let sql: SqlWorld
beforeAll(async () => {
  sql = await startSqlWorld()
}, 180_000)
afterAll(() => sql?.world.close())

test('the queries of the documentation and of the dashboard are answered with rows', async () => {
  expect(queries).toHaveLength(10)
  for (const query of [...queries, ...sqlExamples.map((one) => one.query)]) {
    const { status, body, text } = await sql.ask(query.replace("'/pricing'", "'/p1'"))
    expect(status, `${query}\n${text}`).toBe(200)
    expect(body.rows, query).not.toEqual([])
    expect(text).not.toContain(mark)
  }
})

test('each column is there, has the type that is documented, and stands on the page', async () => {
  for (const [name, { columns }] of Object.entries(sqlTables)) {
    const { body, text } = await sql.ask(`SELECT * FROM ${name} LIMIT 1`)
    const types = columns.map((column) => ({
      name: column.name,
      type: column.type === 'DateTime64(3)' ? "DateTime64(3, 'Europe/Berlin')" : column.type,
    }))
    expect(body.columns, text).toEqual(types)
    const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`))
    expect(row).toBe(`| \`${name}\` | ${columns.map((column) => `\`${column.name}\``).join(', ')} |`)
  }
})

test('a person who was forgotten is in no table any more', async () => {
  const find = async () => {
    const { body } = await sql.ask(`
      SELECT DISTINCT person_id FROM events WHERE anonymous_id = 'a3'
      UNION ALL SELECT DISTINCT person_id FROM sessions WHERE session_id = 's3'`)
    return Array.isArray(body.rows) ? body.rows.flat() : []
  }
  const found = await find()
  expect(found).toEqual([found[0], found[0]])
  const { workspaceId } = sql.shop
  await eraseEverywhere(sql.world.product, { workspaceId, originalIds: [String(found[0])], values: ['a3'] })
  expect(await find()).toEqual([])
})
