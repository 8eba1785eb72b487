import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../testing/runs.ts'
import { mark, type SqlWorld, startSqlWorld } from './testing/sql-world.ts'

let sql: SqlWorld
beforeAll(async () => {
  sql = await startSqlWorld()
}, 180_000)
afterAll(() => sql?.world.close())

const columns = [
  'title',
  'e.title',
  'page',
  'url',
  'utm_source',
  'event_id',
  'person_id',
  'properties.plan',
  "properties['plan']",
  '`title`',
  '"url"',
  'amount',
  'time',
  'entry_page',
  'started_at',
  '*',
  'e.*',
]
const forbiddenColumns = [
  'workspace_id',
  'e.site_id',
  'person_key',
  '_table',
  'default.events.title',
  'column_title',
]
const calls = [
  (of: string) => `max(${of})`,
  (of: string) => `toInt64(${of})`,
  (of: string) => `toFloat64OrNull(toString(${of}))`,
  (of: string) => `groupArray(${of})`,
  (of: string) => `count(DISTINCT ${of})`,
  (of: string) => `any(${of}) OVER (ORDER BY ${of})`,
  (of: string) => `arrayMap(x -> x, [${of}])`,
  (of: string) => `intDiv(1, length(toString(${of})) - 7)`,
  (of: string) => `CASE WHEN ${of} IS NULL THEN 1 ELSE ${of} END`,
]
const forbiddenCalls = [
  (of: string) => `throwIf(${of} = 'x')`,
  (of: string) => `dictGet('x', 'y', ${of})`,
  (of: string) => `joinGet('events', 'title', ${of})`,
  (of: string) => `arrayReduce('max', [${of}])`,
  (of: string) => `${of} IN events`,
  (of: string) => `${of} IN default.events`,
  (of: string) => `file(${of})`,
]
const tables = ['events e', 'events AS e', 'sessions e', 'numbers(3) e']
const forbiddenTables = [
  'default.events e',
  'quarantine e',
  'person_mapping e',
  'system.tables e',
  "merge('default', 'events') e",
  "file('/etc/passwd') e",
  'overlaid_events e',
  '`default`.`events` e',
]
const spaces = fc.constantFrom(' ', '\n', '/* */', ' -- x\n', '\t')

const { expression, query } = fc.letrec<{ expression: string; query: string; table: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 6, arbitrary: fc.constantFrom(...columns) },
    { weight: 1, arbitrary: fc.constantFrom(...forbiddenColumns) },
    { weight: 1, arbitrary: fc.constantFrom("'x'", '1', 'NULL', "'\\''", "''''", '(1, 2)', '[1]') },
    {
      weight: 4,
      arbitrary: fc.tuple(fc.constantFrom(...calls), tie('expression')).map(([call, of]) => call(of)),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...forbiddenCalls), tie('expression'))
        .map(([call, of]) => call(of)),
    },
    { weight: 1, arbitrary: tie('query').map((of) => `(${of})`) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie('expression'), fc.constantFrom('=', '<', 'AND', '||', '+', 'IN'), tie('expression'))
        .map(
          ([left, operator, right]) => `(${left} ${operator} ${operator === 'IN' ? `(${right})` : right})`,
        ),
    },
  ),
  table: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 8, arbitrary: fc.constantFrom(...tables) },
    { weight: 1, arbitrary: fc.constantFrom(...forbiddenTables) },
    { weight: 2, arbitrary: tie('query').map((of) => `(${of}) AS e`) },
    { weight: 1, arbitrary: tie('query').map((of) => `(${of}) AS quarantine`) },
  ),
  query: fc
    .record({
      space: spaces,
      name: fc.constantFrom(
        '',
        '',
        'WITH events AS (SELECT 1 AS title) ',
        "WITH 'x' AS workspace_id ",
        'WITH 1 AS title ',
      ),
      items: fc.array(tie('expression'), { minLength: 1, maxLength: 2 }),
      alias: fc.constantFrom('', '', ' AS title', ' AS events', ' AS site_id', ' AS ts'),
      table: tie('table'),
      where: fc.option(tie('expression'), { nil: null }),
      group: fc.constantFrom('', '', ' GROUP BY 1', ' GROUP BY title', ' ORDER BY 1'),
      end: fc.constantFrom(
        '',
        '',
        '',
        ' LIMIT 5',
        ' UNION ALL SELECT 1',
        ' SETTINGS readonly = 0',
        ' FORMAT CSV',
      ),
    })
    .map(({ space, name, items, alias, table, where, group, end }) => {
      const parts = [`${name}SELECT`, `${items.join(', ')}${alias}`, 'FROM', table]
      return `${[...parts, ...(where === null ? [] : ['WHERE', where])].join(space)}${group}${end}`
    }),
}))

test('queries of allowed and forbidden parts show nothing of other sites', async () => {
  let answered = 0
  const ask = async (text: string) => {
    const { status, body, text: answer } = await sql.ask(text, { limit: 10_000 })
    expect([200, 422], `${text}\n${answer.slice(0, 500)}`).toContain(status)
    expect(answer, text).not.toContain(mark)
    expect(answer, text).not.toContain(mark.toLowerCase())
    expect(String(body.detail ?? ''), text).not.toMatch(/__table|MergeTree|DB::|Code: |assay_\d/)
    if (status === 200) answered += 1
  }
  await fc.assert(fc.asyncProperty(query, ask), { numRuns: runs(150) })
  await fc.assert(
    fc.asyncProperty(expression, (of) => ask(`SELECT ${of} FROM events AS e`)),
    { numRuns: runs(150) },
  )
  // A grammar of which everything is refused would show nothing.
  expect(answered).toBeGreaterThan(10)
}, 600_000)
