import { runSql, SqlAnswer, sqlLimits, sqlTables } from '@assay/contract'
import { Type } from 'typebox'
import { tool } from '../tool.ts'
import { firstSite } from './read-overview.ts'

/** Rows of an answer that an assistant reads; more are one call of /api/analytics/sql away. */
const rowsMax = 200
const rowsDefault = 50

const columnsOf = ([name, { columns }]: [string, (typeof sqlTables)['events']]) =>
  `${name}(${columns.map((column) => column.name).join(', ')})`

const { siteId: _site, ...answered } = SqlAnswer.properties
const { window, from, to, timezone } = runSql.body.properties

export const runSqlQuery = tool({
  name: 'run_sql',
  title: 'Run a SELECT over events',
  description:
    'One SELECT in the dialect of ClickHouse, for what run_query cannot say. Tables of the site and period: ' +
    `${Object.entries(sqlTables).map(columnsOf).join('; ')}. Properties: properties.plan is text. Visitors: ` +
    'uniqExact(person_id). Without site_id the first site, without a period the last 30 days. Needs a key that may ' +
    'read people (identity:read).',
  input: Type.Object(
    {
      site_id: Type.Optional(
        Type.String({ maxLength: 64, description: 'From list_sites; the first site otherwise' }),
      ),
      query: Type.String({ minLength: 1, maxLength: sqlLimits.queryCharactersMax }),
      window,
      from,
      to,
      timezone,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: rowsMax, default: rowsDefault })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ site_id: Type.String(), ...answered }),
  effect: 'reads',
  async run({ site_id, limit = rowsDefault, ...asked }, { client }) {
    const body = { ...asked, limit, siteId: site_id ?? (await firstSite(client)) }
    const { siteId, period, columns, rows, truncated } = await client.call(runSql, { body })
    return { site_id: siteId, period, columns, rows, truncated }
  },
})
