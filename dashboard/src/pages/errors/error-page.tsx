import type { ErrorGroup, ImpactResult, Output } from '@assay/contract'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { useRead, useWrite } from '../../api/reads.ts'
import type { RouteOf } from '../../api/routes.ts'
import { FilterBar } from '../../filters/filter-bar.tsx'
import {
  formatCount,
  formatMoney,
  formatRate,
  formatShare,
  formatTime,
  intervalFormats,
} from '../../format.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Card, Facts, Page } from '../../kit/card.tsx'
import { Chart } from '../../kit/chart.tsx'
import { Code } from '../../kit/code.tsx'
import { Empty, ProblemNote, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { WatchSession } from '../replays/watch-links.tsx'
import { Evidence, StateBadge } from './error-badges.tsx'
import { hasEstimate, noEstimateReason } from './estimate.ts'
import { useErrorQuery } from './window.ts'

type Read = Output<RouteOf<'getError'>>

/** One group of errors: how often, what it costs whom, and what the code said. */
export function ErrorPage({ groupId }: { groupId: string }) {
  const way = useWay()
  const error = useRead('getError', { params: { id: groupId }, query: useErrorQuery() })
  return (
    <Page
      title={error.data?.errorGroup ?? text.pages.errors}
      back={{ href: way.to('errors'), title: text.errors.back }}
      acts={error.data !== undefined && <Acts group={error.data} />}
    >
      <FilterBar />
      <Shown of={error} lines={8}>
        {(data) => (
          <>
            <Occurrences error={data} />
            <Cost groupId={data.id} />
            <Correlation groupId={data.id} />
            <Examples error={data} />
          </>
        )}
      </Shown>
    </Page>
  )
}

function Acts({ group }: { group: Pick<ErrorGroup, 'id' | 'state' | 'type' | 'title'> }) {
  const { siteId } = usePlace()
  const way = useWay()
  const mayWrite = useMay('analytics:write')
  const changing = useWrite('updateError', ['getError', 'getRevenueImpact', 'listErrors'])
  if (!mayWrite) return null
  const set = (state: 'open' | 'resolved' | 'muted') =>
    void changing.send({ params: { id: group.id }, body: { siteId, state } })
  const words = text.errors
  const isOpen = group.state === 'open' || group.state === 'regressed'
  return (
    <>
      {isOpen ? (
        <>
          <Button look="primary" onClick={() => set('resolved')}>
            {words.resolve}
          </Button>
          <Button onClick={() => set('muted')}>{words.mute}</Button>
        </>
      ) : (
        <Button onClick={() => set('open')}>{words.reopen}</Button>
      )}
      <LinkButton href={way.to('settings/error-rules', { type: group.type, title: group.title })}>
        {text.errorRules.byRule}
      </LinkButton>
      <ProblemNote error={changing.error} />
    </>
  )
}

function Occurrences({ error }: { error: Read }) {
  const { site } = useSession()
  const words = text.errors
  const trend = error.trend.series
  const series = useMemo(
    () => [
      {
        id: 'occurrences',
        name: text.errors.occurrences,
        values: trend.map(({ occurrences }) => occurrences),
      },
    ],
    [trend],
  )
  const times = useMemo(() => intervalFormats('day', site.timezone), [site.timezone])
  return (
    <div className="aside">
      <Card>
        <Chart
          title={words.occurrences}
          points={trend}
          series={series}
          look="bars"
          format={formatCount}
          {...times}
        />
      </Card>
      <Card title={words.facts}>
        <Facts
          of={[
            [words.state, <StateBadge key="state" state={error.state} />],
            [words.type, error.type],
            [words.culprit, error.culprit === '' ? null : <Frames key="culprit" of={error.culprit} />],
            [words.occurrences, formatCount(error.occurrences)],
            [words.sessions, formatCount(error.sessions)],
            [words.users, formatCount(error.users)],
            [words.firstSeen, formatTime(error.firstSeenAt, site.timezone)],
            [words.lastSeen, formatTime(error.lastSeenAt, site.timezone)],
            [words.releases, error.releases.join(', ')],
          ]}
        />
      </Card>
    </div>
  )
}

/** The nearest first; a group has three at most. */
function Frames({ of }: { of: string }) {
  return (
    <div className="stack tight">
      {of.split(' < ').map((frame, depth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same frame may stand there twice.
        <code key={depth}>{frame}</code>
      ))}
    </div>
  )
}

function Cost({ groupId }: { groupId: string }) {
  const impact = useRead('getRevenueImpact', { query: useErrorQuery() })
  const words = text.errors
  return (
    <Card title={words.cost}>
      <Shown of={impact}>
        {({ results, currency }) => {
          const found = results.find((result) => result.groupId === groupId)
          if (found === undefined) return <Empty title={words.noCost} />
          if (!hasEstimate(found)) return <Empty title={words.noEstimate}>{noEstimateReason(found)}</Empty>
          return <CostFacts result={found} currency={currency} />
        }}
      </Shown>
    </Card>
  )
}

function CostFacts({ result, currency }: { result: ImpactResult; currency: string | null }) {
  const words = text.errors
  const money = (amount: number) => formatMoney(amount, currency)
  const bounds = ({ low, high }: ImpactResult['interval90']) => words.between(money(low), money(high))
  return (
    <>
      <Comparison result={result} />
      <Facts
        of={[
          [words.loss, money(result.impact.totalRevenueLoss)],
          [words.interval, bounds(result.weightedInterval90)],
          [words.unweighted, `${money(result.unweightedRevenueLoss)} (${bounds(result.interval90)})`],
          [words.evidence, <Evidence key="evidence" of={result.evidence} />],
          [words.stage, words.stages[result.stage]],
          [words.without, formatShare(result.baselineConversionRate)],
          [words.with, formatShare(result.affectedConversionRate)],
          [words.dropOff, dropOffOf(result)],
        ]}
      />
      <p className="soft small">
        {words.formula}. {words.lossMeans}
      </p>
      <Table
        caption={words.segments}
        rows={result.impact.bySegment}
        keyOf={({ segment }) => segment}
        columns={[
          { title: words.segment, cell: ({ segment }) => words.segmentNames[segment] },
          { title: words.users, kind: 'number', cell: ({ users }) => formatCount(users) },
          { title: words.sessions, kind: 'number', cell: ({ sessions }) => formatCount(sessions) },
          { title: words.orderValue, kind: 'number', cell: (row) => money(row.averageOrderValue) },
          { title: words.unweighted, kind: 'number', cell: (row) => money(row.unweightedRevenueLoss) },
          { title: words.weight, kind: 'number', cell: ({ weight }) => `×${weight}` },
          { title: words.weighted, kind: 'number', cell: ({ revenueLoss }) => money(revenueLoss) },
        ]}
      />
    </>
  )
}

/** Which visits are compared with which, in words and with every number that the rates are made of. */
function Comparison({ result }: { result: ImpactResult }) {
  const words = text.errors
  const { impact, evidence, comparedSessions, convertedSessions, expectedConversions } = result
  const open = formatCount(comparedSessions)
  return (
    <p>
      {words.compared(formatCount(impact.affectedSessions), open)}{' '}
      {words.outcome(
        formatCount(convertedSessions),
        open,
        formatShare(result.affectedConversionRate),
        formatRounded(expectedConversions),
        formatShare(result.baselineConversionRate),
      )}{' '}
      {evidence !== 'insufficient' && words.evidenceMeans[evidence]}
    </p>
  )
}

/** Expected counts have a fraction; a tenth of a visit is precise enough. */
const formatRounded = (count: number) => formatRate(Math.round(count * 10) / 10)

function dropOffOf({
  baselineConversionRate,
  affectedConversionRate,
  reliability,
  dropOffProbability,
}: ImpactResult) {
  if (dropOffProbability === 0) return formatShare(0)
  const raw = 1 - affectedConversionRate / baselineConversionRate
  const parts = text.errors.dropOffMeans(formatShare(raw), formatShare(reliability))
  return `${formatShare(dropOffProbability)} (${parts})`
}

const signed = (written: string, value: number) => (value > 0 ? `+${written}` : written)

function Correlation({ groupId }: { groupId: string }) {
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

function Examples({ error }: { error: Read }) {
  return (
    <Card title={text.errors.examples}>
      {error.examples.map((example) => (
        <Example key={example.eventId} of={example} />
      ))}
    </Card>
  )
}

function Example({ of }: { of: Read['examples'][number] }) {
  const { site } = useSession()
  const way = useWay()
  const [isOpen, setOpen] = useState(false)
  const words = text.errors
  const { eventId, sessionId, at, message, stack, url, browser, release } = of
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {formatTime(at, site.timezone)} <span className="soft break">{url}</span>
      </summary>
      <div className="stack">
        <p className="break">{message}</p>
        {stack !== '' && <Code label={words.stack}>{stack}</Code>}
        <p className="row small">
          <span className="soft">{[browser, release].filter(Boolean).join(' · ')}</span>
          <Link href={way.to('receipts', { id: eventId })}>{text.quarantine.receipt}</Link>
          {isOpen && <WatchSession sessionId={sessionId} at={at} />}
        </p>
      </div>
    </details>
  )
}
