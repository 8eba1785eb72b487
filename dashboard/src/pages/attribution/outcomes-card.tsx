import { Link } from 'wouter'
import { useList } from '../../api/reads.ts'
import { formatMoney, formatTime } from '../../format.ts'
import { Card } from '../../kit/card.tsx'
import { ListTable } from '../../kit/table.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { daysOf } from './days.ts'

/** Enough to find the one of a moment ago without scrolling. */
const perPage = 10

/** The latest outcomes of the range, to choose one from. */
export function OutcomesCard({ onChoose }: { onChoose: () => void }) {
  const { siteId, parameters } = usePlace()
  const { site } = useSession()
  const way = useWay()
  const range = { site_id: siteId, ...daysOf(parameters) }
  const outcomes = useList('listOutcomes', (cursor) => ({
    query: { ...range, limit: perPage, ...(cursor !== undefined && { cursor }) },
  }))
  const words = text.explain
  return (
    <Card title={words.latest}>
      <ListTable
        of={outcomes}
        caption={words.latest}
        keyOf={({ id }) => id}
        empty={{ title: text.attribution.empty, detail: words.noneDetail }}
        columns={[
          { title: words.when, kind: 'time', cell: ({ at }) => formatTime(at, site.timezone) },
          { title: words.event, phone: 'bare', cell: ({ event }) => <strong>{event}</strong> },
          {
            title: words.amount,
            kind: 'number',
            phone: 'end',
            cell: ({ amount, currency }) => (amount === null ? text.nothing : formatMoney(amount, currency)),
          },
          {
            title: words.who,
            cell: ({ person_id }) => (
              <Link className="mono id" href={way.to(`people/${person_id}`)}>
                {person_id}
              </Link>
            ),
          },
          {
            title: words.eventId,
            cell: ({ id }) => (
              <Link className="mono id" href={way.to(`attribution/explain/${id}`)} onClick={onChoose}>
                {id}
              </Link>
            ),
          },
        ]}
      />
    </Card>
  )
}
