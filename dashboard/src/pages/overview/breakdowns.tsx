import type { Overview } from '@assay/contract'
import { countryName, formatCount } from '../../format.ts'
import { Card } from '../../kit/card.tsx'
import { Empty } from '../../kit/states.tsx'
import { useWay } from '../../shell/place.ts'
import type { FilterName } from '../../shell/range.ts'
import { text } from '../../text.ts'

const tables: readonly { name: keyof Overview['breakdowns']; filter: FilterName }[] = [
  { name: 'pages', filter: 'path' },
  { name: 'sources', filter: 'source' },
  { name: 'countries', filter: 'country' },
  { name: 'devices', filter: 'device' },
  { name: 'events', filter: 'event' },
]

/** Where the visitors are, come from and what they do; a click shows them alone. */
export function Breakdowns({ data }: { data: Overview }) {
  return (
    <div className="columns">
      {tables.map(({ name, filter }) => (
        <Card key={name} title={text.breakdowns[name]}>
          <Bars rows={data.breakdowns[name]} filter={filter} />
        </Card>
      ))}
    </div>
  )
}

/** The first ones; the rest of a long tail is not read by people. */
const rowsMax = 10

function Bars({ rows, filter }: { rows: Overview['breakdowns']['pages']; filter: FilterName }) {
  const way = useWay()
  const most = Math.max(1, ...rows.map(({ visitors }) => visitors))
  if (rows.length === 0) return <Empty title={text.overview.noRows} />
  return (
    <ul className="bars">
      {rows.slice(0, rowsMax).map(({ key, visitors }) => (
        <li key={key}>
          <span className="fill" style={{ width: `${(visitors / most) * 100}%` }} />
          {key === '' ? (
            <span className="key soft">{text.overview.unknown}</span>
          ) : (
            <button
              type="button"
              title={text.overview.filterBy(key)}
              onClick={() => way.go(way.here({ [filter]: key }))}
            >
              {filter === 'country' ? countryName(key) : key}
            </button>
          )}
          <span>{formatCount(visitors)}</span>
        </li>
      ))}
    </ul>
  )
}
