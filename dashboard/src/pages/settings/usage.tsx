import { outcomes, type Usage } from '@assay/contract'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/reads.ts'
import { now } from '../../clock.ts'
import { formatBytes, formatCount, formatDay, intervalFormats } from '../../format.ts'
import { Card, Facts, Page } from '../../kit/card.tsx'
import { Chart } from '../../kit/chart.tsx'
import { Select } from '../../kit/select.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'

/** Months that can be chosen; further back is a read by the interface. */
const monthsShown = 12

function recentMonths(): readonly string[] {
  const today = new Date(now())
  return Array.from({ length: monthsShown }, (_, back) =>
    new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back)).toISOString().slice(0, 7),
  )
}

const monthName = (month: string) =>
  new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  )

/** What the workspace sends and keeps, and how much it may. */
export default function UsagePage() {
  const { parameters } = usePlace()
  const way = useWay()
  const months = recentMonths()
  const month = months.find((one) => one === parameters.get('month')) ?? months[0] ?? ''
  const usage = useRead('getUsage', { query: { month } })
  return (
    <Page
      title={text.pages.usage}
      lead={text.usage.lead}
      acts={
        <Select
          name={text.usage.month}
          value={month}
          choices={months.map((value) => ({ value, label: monthName(value) }))}
          onChange={(value) => way.go(way.here({ month: value === months[0] ? null : value }))}
        />
      }
    >
      <Shown of={usage} lines={8}>
        {(data) => <Parts usage={data} />}
      </Shown>
    </Page>
  )
}

/** Days that are still to come are no days without events. */
const times = intervalFormats('day', 'UTC')

/** Days up to today; the rest of the month has nothing to show. */
function chartOf({ days }: Usage) {
  const today = new Date(now()).toISOString().slice(0, 10)
  const past = days.filter(({ day }) => day <= today)
  return {
    points: past.map(({ day }) => ({ start: `${day}T00:00:00Z`, isComplete: day < today })),
    series: [{ id: 'events', name: text.usage.events, values: past.map(({ events }) => events) }],
  }
}

function Parts({ usage }: { usage: Usage }) {
  const words = text.usage
  const chart = useMemo(() => chartOf(usage), [usage])
  return (
    <>
      <section className="figures" aria-label={words.events}>
        {outcomes.map((outcome) => (
          <Figure key={outcome} name={text.outcomes[outcome]} value={usage.events[outcome]} />
        ))}
        <Figure name={words.duplicates} value={usage.events.duplicates} />
      </section>
      <Card>
        <Chart title={words.perDay} look="bars" {...chart} format={formatCount} {...times} />
      </Card>
      <Card title={words.bySite}>
        <BySite usage={usage} />
      </Card>
      <div className="columns">
        <Storage usage={usage} />
        <Limits usage={usage} />
      </div>
    </>
  )
}

function Figure({ name, value }: { name: string; value: number }) {
  return (
    <div className="figure">
      <span className="name">{name}</span>
      <span className="value">{formatCount(value)}</span>
    </div>
  )
}

function BySite({ usage }: { usage: Usage }) {
  const { sites } = useSession()
  if (usage.sites.length === 0) return <Empty title={text.usage.noneSent} />
  type Row = Usage['sites'][number]
  return (
    <Table
      caption={text.usage.bySite}
      rows={usage.sites}
      keyOf={({ site_id }) => site_id}
      columns={[
        {
          title: text.usage.site,
          cell: ({ site_id }: Row) => sites.find(({ id }) => id === site_id)?.name ?? site_id,
        },
        ...outcomes.map((outcome) => ({
          title: text.outcomes[outcome],
          kind: 'number' as const,
          cell: ({ events }: Row) => formatCount(events[outcome]),
        })),
        {
          title: text.usage.duplicates,
          kind: 'number' as const,
          cell: ({ events }: Row) => formatCount(events.duplicates),
        },
      ]}
    />
  )
}

function Storage({ usage: { storage, limits } }: { usage: Usage }) {
  const { site, sites } = useSession()
  const way = useWay()
  const words = text.usage
  const timeOf = (days: number | null) => (days === null ? words.forever : words.days(days))
  const [first, ...others] = [...new Set(sites.map(({ eventRetentionDays }) => timeOf(eventRetentionDays)))]
  const kept =
    others.length === 0
      ? (first ?? words.forever)
      : sites.map(({ name, eventRetentionDays }) => words.keptOf(name, timeOf(eventRetentionDays))).join('; ')
  return (
    <Card title={words.storage}>
      <Facts
        of={[
          [words.stored, formatCount(storage.events)],
          [words.held, formatCount(storage.held)],
          [words.bytes, formatBytes(storage.bytes)],
          [
            words.oldest,
            storage.oldest_event_at === null ? null : formatDay(storage.oldest_event_at, site.timezone),
          ],
        ]}
      />
      <h3>{words.kept}</h3>
      <Facts
        of={[
          [words.eventsKept, kept],
          [words.heldDays, words.days(limits.held_days)],
          [words.replayDays, words.days(limits.replay_days)],
        ]}
      />
      <p className="soft small">
        {words.orForgotten} <Link href={way.to('settings/retention')}>{text.pages.dataRetention}</Link>
      </p>
    </Card>
  )
}

/** The highest that a server can be set to. */
const noLimit = 1_000_000_000

function Limits({ usage: { limits } }: { usage: Usage }) {
  const words = text.usage
  const { api_read, api_write, control_read, control_write, person } = limits.calls_per_minute
  const limit = (most: number) => (most >= noLimit ? words.unlimited : formatCount(most))
  const pair = (api: number, control: number) => words.pair(limit(api), limit(control))
  const burst = (most: number, sentence: (count: string) => string) =>
    most >= noLimit ? words.unlimited : sentence(formatCount(most))
  return (
    <Card title={words.limits}>
      <Facts
        of={[
          [words.eventsPerSecond, burst(limits.events_per_second, words.bursts)],
          [
            words.addressEventsPerSecond,
            burst(limits.public_events_per_second_per_address, words.addressBursts),
          ],
          [words.reads, pair(api_read, control_read)],
          [words.writes, pair(api_write, control_write)],
          [words.person, limit(person)],
        ]}
      />
    </Card>
  )
}
