import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { formatQuery, Period, periodQuery } from '../reads.ts'
import { route } from '../route.ts'
import { sqlTables } from './sql-tables.ts'

export const sqlLimits = {
  /** UTF-16 units of the text of a query. */
  queryCharactersMax: 16_384,
  rowsDefault: 1_000,
  rowsMax: 10_000,
  /** Of the rows as JSON; the rest is left out. */
  answerBytesMax: 8_000_000,
  secondsMax: 10,
  /** Stored rows that a query may read, each table that it names counted again. */
  readRowsMax: 100_000_000,
} as const

const tablesSay = Object.entries(sqlTables)
  .map(([name, { columns }]) => `\`${name}\` (${columns.map((column) => column.name).join(', ')})`)
  .join('; ')

export const SqlAnswer = Type.Object({
  siteId: Type.String(),
  period: Period,
  columns: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.String({ description: "The store's own name of the type, such as `Nullable(String)`" }),
    }),
  ),
  rows: Type.Array(Type.Array(Type.Unknown()), {
    description:
      'Values in the order of the columns. Whole numbers beyond 2^53 are text; times are text in the zone of the ' +
      'period',
  }),
  truncated: Type.Boolean({ description: 'There are more rows than the answer has' }),
})
export type SqlAnswer = Static<typeof SqlAnswer>

export const runSql = route({
  plane: 'control',
  access: 'read',
  // Rows show single people.
  scope: 'identity:read',
  andScope: 'analytics:read',
  rate: 'apiRead',
  tag: 'Analytics',
  problems: lookupProblems,
  id: 'runSql',
  fresh: 'camel',
  method: 'POST',
  path: '/api/analytics/sql',
  summary: 'Run a SELECT over the events of a site',
  description:
    'One SELECT in the dialect of ClickHouse over these tables of the site and period: ' +
    `${tablesSay}. Rows may show single people: it needs the scopes identity:read and ` +
    `analytics:read. A query takes ` +
    `${sqlLimits.secondsMax} s at most.`,
  body: Type.Object(
    {
      siteId: Type.String({ maxLength: 64 }),
      query: Type.String({ minLength: 1, maxLength: sqlLimits.queryCharactersMax }),
      ...periodQuery,
      includeBots: Type.Optional(Type.Boolean({ default: false })),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: sqlLimits.rowsMax, default: sqlLimits.rowsDefault }),
      ),
      ...formatQuery,
    },
    { additionalProperties: false },
  ),
  csv: true,
  success: { status: 200, body: SqlAnswer },
})

export const sqlRoutes = [runSql] as const
