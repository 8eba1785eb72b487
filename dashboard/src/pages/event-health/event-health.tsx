import type { EventHealth, Output } from '@assay/contract'
import { Link } from 'wouter'
import { type Reading, useRead } from '../../api/reads.ts'
import type { RouteOf } from '../../api/routes.ts'
import { now } from '../../clock.ts'
import { formatAgo, formatCount, formatShare } from '../../format.ts'
import { LinkButton } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { Empty, Loading, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { useArrived } from '../../kit/use-arrived.ts'
import type { PageProps } from '../../shell/page-props.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { watchText } from '../../text/watch.ts'
import { text } from '../../text.ts'
import { AnomalyList, useAnomalies } from './anomalies.tsx'
import { CoverageCard, useCoverage } from './coverage.tsx'
import { healthDays } from './days.ts'
import { DaysSelect } from './days-select.tsx'
import { DuplicateCheck } from './duplicates.tsx'
import { EventPage } from './event-page.tsx'
import { EventState, expectedText, HealthBadge, latencyText } from './health-cells.tsx'
import { OrdersCard, useOrders } from './orders.tsx'
import { WatchSettings } from './watch-settings.tsx'

const eventPath = 'event/'

/** How well events arrive, anomalies, and whether browser, server and payments agree. */
export default function EventHealthPage({ rest }: PageProps) {
  if (rest === 'settings') return <WatchSettings />
  if (rest === 'duplicates') return <DuplicateCheck />
  if (!rest.startsWith(eventPath)) return <Summary />
  const key = rest.slice(eventPath.length)
  return <EventPage key={key} eventKey={key} />
}

function Summary() {
  const { siteId, parameters } = usePlace()
  const way = useWay()
  const window = `${healthDays(parameters)}d`
  const health = useRead('listEventHealth', { query: { site_id: siteId, window } })
  const words = watchText.eventHealth
  return (
    <Page
      title={text.pages.eventHealth}
      lead={words.lead}
      acts={
        <>
          <DaysSelect />
          <LinkButton href={way.to('event-health/settings')}>{words.settings}</LinkButton>
          <LinkButton href={way.to('event-health/duplicates')}>{words.checkTwo}</LinkButton>
        </>
      }
    >
      <Parts health={health} />
    </Page>
  )
}

type Health = Output<RouteOf<'listEventHealth'>>

function Parts({ health }: { health: Reading<Health> }) {
  const anomalies = useAnomalies()
  const coverage = useCoverage()
  const orders = useOrders()
  const hasArrived = useArrived([anomalies, health, coverage, orders])
  if (!hasArrived) return <Loading lines={12} />
  return (
    <>
      <AnomalyList of={anomalies} />
      <EventsCard of={health} />
      <CoverageCard of={coverage} />
      <OrdersCard of={orders} />
    </>
  )
}

function EventsCard({ of }: { of: Reading<Health> }) {
  const words = watchText.eventHealth
  return (
    <Card title={words.events}>
      <Shown
        of={of}
        lines={8}
        empty={({ data }) => (data.length === 0 ? <Empty title={words.empty} /> : null)}
      >
        {({ data, summary }) => (
          <>
            <div className="row">
              {(['failing', 'silent', 'degraded', 'healthy'] as const).map((status) => (
                <span key={status}>
                  <HealthBadge status={status} /> {formatCount(summary[status])}
                </span>
              ))}
            </div>
            <EventTable rows={data} />
          </>
        )}
      </Shown>
    </Card>
  )
}

function EventTable({ rows }: { rows: readonly EventHealth[] }) {
  const { parameters } = usePlace()
  const way = useWay()
  const words = watchText.eventHealth
  const days = parameters.get('days')
  return (
    <Table
      caption={words.events}
      rows={rows}
      keyOf={({ key }) => key}
      columns={[
        {
          title: words.event,
          sortBy: ({ name }) => name,
          cell: ({ key, name }) => (
            <Link href={way.to(`event-health/${eventPath}${key}`, { days })}>{name}</Link>
          ),
        },
        { title: words.status, cell: (row) => <EventState of={row} /> },
        {
          title: words.volume,
          kind: 'number',
          sortBy: ({ volume }) => volume,
          cell: ({ volume }) => formatCount(volume),
        },
        { title: words.expected, kind: 'number', cell: ({ expected }) => expectedText(expected) },
        {
          title: words.accepted,
          kind: 'number',
          sortBy: (row) => row.accept_rate,
          cell: (row) => formatShare(row.accept_rate),
        },
        {
          title: words.warned,
          kind: 'number',
          sortBy: (row) => row.warn_rate,
          cell: (row) => formatShare(row.warn_rate),
        },
        {
          title: words.held,
          kind: 'number',
          sortBy: (row) => row.quarantine_rate,
          cell: (row) => formatShare(row.quarantine_rate),
        },
        {
          title: words.rejected,
          kind: 'number',
          sortBy: (row) => row.reject_rate,
          cell: (row) => formatShare(row.reject_rate),
        },
        { title: words.latency, kind: 'number', cell: (row) => latencyText(row.p95_latency_ms) },
        {
          title: words.lastSeen,
          kind: 'number',
          cell: ({ last_seen_at }) =>
            last_seen_at === null ? words.neverStored : formatAgo(last_seen_at, now()),
        },
      ]}
    />
  )
}
