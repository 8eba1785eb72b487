import { sqlExamples, sqlTables } from '@assay/contract'
import { Button } from '../../kit/button.tsx'
import { Card } from '../../kit/card.tsx'
import { sqlText } from '../../text/sql.ts'

/** Tables and their columns, to insert by a click. */
export function TableList({ onInsert }: { onInsert: (column: string) => void }) {
  const words = sqlText.sql
  return (
    <Card title={words.tables}>
      <p className="soft small">{words.tablesLead}</p>
      {Object.entries(sqlTables).map(([name, { description, columns }]) => (
        <details key={name} open={name === 'events'} className="sql-table">
          <summary>
            <span className="mono">{name}</span> <span className="soft small">{description}</span>
          </summary>
          <ul className="sql-columns">
            {columns.map((column) => (
              <li key={column.name}>
                <button
                  type="button"
                  className="cell-button mono"
                  title={column.description}
                  aria-label={words.insert(column.name, column.type)}
                  onClick={() => onInsert(column.name)}
                >
                  {column.name}
                </button>
                <span className="soft small">{column.type}</span>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </Card>
  )
}

type ListProps = { onChoose: (query: string) => void }

export function ExampleList({ onChoose }: ListProps) {
  return (
    <Card title={sqlText.sql.examples}>
      <ul className="sql-queries">
        {sqlExamples.map(({ name, query }) => (
          <li key={name}>
            <button type="button" className="cell-button" onClick={() => onChoose(query)}>
              {sqlText.sql.named[name]}
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}

type RecentProps = ListProps & { queries: readonly string[]; onClear: () => void }

/** As many characters as name a query in a list. */
const shownCharacters = 80

export function RecentList({ queries, onChoose, onClear }: RecentProps) {
  const words = sqlText.sql
  const clear = queries.length > 0 && (
    <Button isCompact look="ghost" onClick={onClear}>
      {words.clear}
    </Button>
  )
  return (
    <Card title={words.history} act={clear}>
      {queries.length === 0 && <p className="soft small">{words.historyEmpty}</p>}
      <ul className="sql-queries">
        {queries.map((query) => (
          <li key={query}>
            <button type="button" className="cell-button mono" title={query} onClick={() => onChoose(query)}>
              {query.replace(/\s+/g, ' ').slice(0, shownCharacters)}
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
