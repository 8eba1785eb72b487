import { useRead } from '../../api/reads.ts'
import { formatCount, formatMoney, formatRate, formatShare } from '../../format.ts'
import { Card } from '../../kit/card.tsx'
import { Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { text } from '../../text.ts'
import { formatRounded } from './estimate.ts'
import { useErrorQuery } from './window.ts'

/** With the sign for numbers: a hyphen is too short next to a plus. */
const signed = (written: string, value: number) => (value > 0 ? `+${written}` : written.replace('-', '−'))

export function Correlation({ groupId }: { groupId: string }) {
  const answer = useRead('getOrderValueCorrelation', {
    query: { ...useErrorQuery(), errorGroup: groupId },
  })
  const words = text.errors
  const pointsOf = (share: number) => words.points(formatRate(Math.round(share * 1000) / 10))
  return (
    <Card title={words.correlation}>
      <Shown of={answer}>
        {({ correlation: { aovImpact }, currency }) => (
          <>
            <p>
              {words.differs(
                signed(formatMoney(aovImpact.aovDelta, currency), aovImpact.aovDelta),
                signed(pointsOf(aovImpact.conversionDelta), aovImpact.conversionDelta),
              )}
            </p>
            <Table
              caption={words.correlation}
              rows={[
                { name: words.withError, ...aovImpact.sessionsWithError },
                { name: words.withoutError, ...aovImpact.sessionsWithoutError },
              ]}
              keyOf={({ name }) => name}
              columns={[
                { title: words.sessions, cell: ({ name }) => name },
                { title: words.visits, kind: 'number', cell: ({ sessions }) => formatCount(sessions) },
                { title: words.bought, kind: 'number', cell: (row) => formatRounded(row.convertedSessions) },
                { title: words.rate, kind: 'number', cell: (row) => formatShare(row.conversionRate) },
                {
                  title: words.orderValue,
                  kind: 'number',
                  cell: (row) => formatMoney(row.avgOrderValue, currency),
                },
                { title: words.orders, kind: 'number', cell: ({ orders }) => formatCount(orders) },
              ]}
            />
          </>
        )}
      </Shown>
    </Card>
  )
}
