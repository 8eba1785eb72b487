import type { Anomaly, Output } from '@assay/contract'
import { useMemo } from 'react'
import { useRead } from '../../api/reads.ts'
import type { RouteOf } from '../../api/routes.ts'
import { codeWords } from '../../code-words.ts'
import { formatCount, formatShare, intervalFormats } from '../../format.ts'
import { Card, Facts, Page } from '../../kit/card.tsx'
import { Chart } from '../../kit/chart.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { watchText } from '../../text/watch.ts'
import { text } from '../../text.ts'
import { AnomalyList, causeText, useAnomalies } from './anomalies.tsx'
import { healthDays } from './days.ts'
import { DaysSelect } from './days-select.tsx'
import { EventState, expectedText, latencyText } from './health-cells.tsx'
import { observedText } from './observed.ts'

type Read = Output<RouteOf<'getEventHealth'>>
const trends = ['release', 'sdk', 'source', 'contract_version'] as const
const none: readonly Anomaly[] = []

/** The health of one event: its volume with anomalies, its issues, and their breakdowns. */
export function EventPage({ eventKey }: { eventKey: string }) {
  const { siteId, parameters } = usePlace()
  const way = useWay()
  const query = { site_id: siteId, window: `${healthDays(parameters)}d` }
  const health = useRead('getEventHealth', { params: { key: eventKey }, query })
  const anomalies = useAnomalies(eventKey)
  return (
    <Page
      title={health.data?.name ?? eventKey}
      back={{ href: way.to('event-health'), title: text.pages.eventHealth }}
      acts={<DaysSelect />}
    >
      <Shown of={health} lines={8}>
        {(data) => (
          <>
            <Volume health={data} anomalies={anomalies.data ?? none} />
            <AnomalyList of={anomalies} />
            <div className="columns wide">
              {trends.map((name) => (
                <TrendCard key={name} name={name} rows={data.trends[name]} />
              ))}
            </div>
          </>
        )}
      </Shown>
    </Page>
  )
}

function Volume({ health, anomalies }: { health: Read; anomalies: readonly Anomaly[] }) {
  const { site } = useSession()
  const words = watchText.eventHealth
  const series = useMemo(
    () => [
      {
        id: 'volume',
        name: watchText.eventHealth.volume,
        values: health.series.map(({ volume }) => volume),
        previous: health.series.map(({ expected }) => expected),
      },
    ],
    [health.series],
  )
  const marks = useMemo(() => anomalies.map(markOf), [anomalies])
  const times = useMemo(() => intervalFormats('hour', site.timezone), [site.timezone])
  return (
    <div className="aside">
      <Card>
        <Chart
          title={words.volume}
          points={health.series}
          series={series}
          format={formatCount}
          previousName={text.chart.usual}
          marks={marks}
          {...times}
        />
      </Card>
      <Card title={words.facts}>
        <Facts
          of={[
            [words.status, <EventState key="status" of={health} />],
            [words.volume, formatCount(health.volume)],
            [words.expected, expectedText(health.expected)],
            [words.accepted, formatShare(health.accept_rate)],
            [words.warned, formatShare(health.warn_rate)],
            [words.held, formatShare(health.quarantine_rate)],
            [words.rejected, formatShare(health.reject_rate)],
            [words.duplicates, formatShare(health.duplicate_rate)],
            [words.latency, latencyText(health.p95_latency_ms)],
            ...Object.entries(health.issues).map(
              ([code, count]) => [codeWords('issues', code), formatCount(count)] as const,
            ),
          ]}
        />
      </Card>
    </div>
  )
}

function markOf(anomaly: Anomaly) {
  const words = watchText.eventHealth
  const what = `${observedText(anomaly)} (${causeText(anomaly.suspected_cause)})`
  return {
    kind: 'anomaly' as const,
    start: anomaly.started_at,
    end: anomaly.ended_at,
    words: words.mark(words.types[anomaly.type], what),
  }
}

type TrendProps = { name: (typeof trends)[number]; rows: Read['trends']['release'] }

function TrendCard({ name, rows }: TrendProps) {
  const words = watchText.eventHealth
  return (
    <Card title={words.trends[name]}>
      {rows.length === 0 ? (
        <Empty title={words.noTrend} />
      ) : (
        <Table
          caption={words.trends[name]}
          rows={rows}
          keyOf={({ value }) => value}
          columns={[
            { title: words.value, cell: ({ value }) => value || text.overview.unknown },
            { title: words.share, kind: 'number', cell: ({ share }) => formatShare(share) },
            { title: words.before, kind: 'number', cell: (row) => formatShare(row.previous_share) },
            { title: words.warned, kind: 'number', cell: (row) => formatShare(row.warn_rate) },
          ]}
        />
      )}
    </Card>
  )
}
