import type { Metric } from '@assay/contract'
import { Link } from 'wouter'
import { type Terms, useTerms } from '../../filters/terms.ts'
import { Card } from '../../kit/card.tsx'
import { Loading } from '../../kit/states.tsx'
import { useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'
import { readMetrics } from './metric-draft.ts'
import { changesFor, type View } from './question.ts'

type Example = {
  words: string
  metrics: readonly Metric[]
  by?: readonly string[]
  view?: View
  order?: string
  /** Events without which there is no answer. */
  needs?: readonly string[]
}

const examplesShown = 5

/** In the order in which they are offered; those that ask for events that the site lacks are left out. */
function examplesFor(terms: Terms): readonly Example[] {
  const words = text.explore.examples
  const [event = '$pageview'] = terms.events.filter((name) => !name.startsWith('$'))
  const all: readonly Example[] = [
    { words: words.visitors, metrics: ['visitors'] },
    {
      words: words.cart,
      metrics: [
        { as: 'A', event: '$add_to_cart', math: 'people' },
        { as: 'B', event: '$purchase', math: 'people' },
        { as: 'C', formula: 'B / A' },
      ],
      needs: ['$add_to_cart', '$purchase'],
    },
    {
      words: words.revenue,
      metrics: ['revenue', 'conversionRate'],
      by: ['source'],
      view: 'table',
      needs: ['$purchase'],
    },
    {
      words: words.bounce,
      metrics: ['bounceRate', 'sessions'],
      by: ['entryPage'],
      view: 'table',
      order: 'sessions:desc',
    },
    {
      words: words.order,
      metrics: [{ as: 'A', event: '$purchase', math: 'p90', property: 'amount' }],
      needs: ['$purchase'],
    },
    { words: words.devices, metrics: ['sessions'], by: ['device'], view: 'stacked' },
    {
      words: words.event(event),
      metrics: [{ as: 'A', event, math: 'people' }],
      by: ['country'],
      view: 'bars',
    },
    { words: words.fresh, metrics: ['newVisitors', 'visitors'], by: ['channel'], view: 'table' },
  ]
  return all
    .filter(({ needs = [] }) => needs.every((name) => terms.events.includes(name)))
    .slice(0, examplesShown)
}

/** Before anything is asked: questions that this site can answer. */
export function Examples() {
  const terms = useTerms()
  const way = useWay()
  return (
    <Card title={text.explore.examplesTitle}>
      <p className="soft">{text.explore.examplesLead}</p>
      {terms === undefined ? (
        <Loading lines={examplesShown} />
      ) : (
        <ul className="examples">
          {examplesFor(terms).map(({ words, metrics, by = [], view = 'lines', order = '' }) => (
            <li key={words}>
              <Link
                href={way.here(
                  changesFor({
                    metrics: readMetrics(metrics),
                    by,
                    view,
                    order,
                    interval: null,
                    mode: 'each',
                    limit: 20,
                  }),
                )}
              >
                {words}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
