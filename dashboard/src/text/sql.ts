import { some } from '../plural.ts'

/** The page SQL. */
export const sqlText = {
  sql: {
    lead: 'Run a SELECT over the events of this site.',
    query: 'Query',
    run: 'Run',
    runHint: 'Ctrl or Cmd + Enter',
    chart: 'Chart',
    rows: 'Result',
    noRows: 'No rows',
    noRowsDetail: 'The query matches nothing in this period. Choose a longer one, or change the conditions.',
    truncated: (rows: number) => `The first ${some(rows, 'row')}. Add LIMIT, or group more.`,
    tables: 'Tables',
    tablesLead: 'Choose a column to insert it.',
    insert: (column: string, type: string) => `Insert ${column} (${type})`,
    examples: 'Examples',
    history: 'Recent queries',
    historyEmpty: 'Queries you run appear here, in this browser only.',
    clear: 'Clear',
    toFault: 'Go to the error',
    named: {
      days: 'Visitors by day',
      pages: 'Pages with the most visitors',
      campaigns: 'Conversion rate by campaign',
      plans: 'Purchases by a property',
      returning: 'People by number of sessions',
      next: 'What comes after each page',
    },
  },
}
