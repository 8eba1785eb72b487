import { type Output, orderFindings } from '@assay/contract'
import { type Reading, useRead } from '../../api/reads.ts'
import type { RouteOf } from '../../api/routes.ts'
import { formatCount, formatDuration, formatMoney, formatShare } from '../../format.ts'
import { Badge, Card } from '../../kit/card.tsx'
import { Select } from '../../kit/select.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { capitalised } from '../../plural.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { eventText } from '../../text/events.ts'
import { watchText } from '../../text/watch.ts'
import { text } from '../../text.ts'
import { healthDays } from './days.ts'

type Read = Output<RouteOf<'getConversionMismatch'>>
const ordersMax = 50

export function useOrders(): Reading<Read> {
  const { siteId, parameters } = usePlace()
  const finding = orderFindings.find((name) => name === parameters.get('finding'))
  const window = `${healthDays(parameters)}d`
  const query = { site_id: siteId, window, limit: ordersMax, ...(finding !== undefined && { finding }) }
  return useRead('getConversionMismatch', { query })
}

/** Orders as browser, server and payment saw them. */
export function OrdersCard({ of }: { of: Reading<Read> }) {
  const words = watchText.eventHealth
  return (
    <Card title={words.orders} act={<FindingSelect />}>
      <Shown of={of} empty={(data) => (data.orders === 0 ? <Empty title={words.noOrders} /> : null)}>
        {(data) => (
          <>
            <Agreement data={data} />
            {data.data.length === 0 ? <Empty title={words.noSuchOrders} /> : <OrderTable rows={data.data} />}
          </>
        )}
      </Shown>
    </Card>
  )
}

function FindingSelect() {
  const { parameters } = usePlace()
  const way = useWay()
  const words = watchText.eventHealth
  return (
    <Select
      name={words.finding}
      value={parameters.get('finding') ?? ''}
      choices={[
        { value: '', label: words.anyFinding },
        ...orderFindings.map((value) => ({
          value: String(value),
          label: capitalised(words.findingNames[value]),
        })),
      ]}
      onChange={(finding) => way.go(way.here({ finding }))}
    />
  )
}

function Agreement({ data }: { data: Read }) {
  const words = watchText.eventHealth
  return (
    <p>
      {words.consistent(formatCount(data.consistent), formatCount(data.orders))}{' '}
      {data.server_coverage !== null && words.serverCoverage(formatShare(data.server_coverage))}{' '}
      {data.id_overlap !== null && words.overlap(formatShare(data.id_overlap))}{' '}
      {data.is_mismatch && <Badge kind="reject">{words.mismatch}</Badge>}
    </p>
  )
}

function OrderTable({ rows }: { rows: Read['data'] }) {
  const { site } = useSession()
  const words = watchText.eventHealth
  const money = (amount: number, currency: string) => formatMoney(amount, currency || site.currency)
  const seen = (sighting: Read['data'][number]['browser']) => {
    if (sighting === null) return text.nothing
    return sighting.amount === null ? eventText.receipts.yes : money(sighting.amount, sighting.currency)
  }
  return (
    <Table
      caption={words.orders}
      rows={rows}
      keyOf={({ order_id }) => order_id}
      columns={[
        { title: words.order, cell: ({ order_id }) => <code className="break">{order_id}</code> },
        { title: words.browser, kind: 'number', cell: ({ browser }) => seen(browser) },
        { title: words.server, kind: 'number', cell: ({ server }) => seen(server) },
        { title: words.webhook, kind: 'number', cell: ({ webhook }) => seen(webhook) },
        {
          title: words.findings,
          cell: ({ findings, amounts, gap_ms }) => (
            <>
              {findings.map((finding) => words.findingNames[finding]).join(', ') || words.agrees}
              {amounts.length > 1 && (
                <span className="small">
                  {' '}
                  · {words.amounts(amounts.map(({ amount, currency }) => money(amount, currency)))}
                </span>
              )}
              {gap_ms !== null && gap_ms > 0 && (
                <span className="soft small"> · {words.apart(formatDuration(gap_ms))}</span>
              )}
            </>
          ),
        },
      ]}
    />
  )
}
