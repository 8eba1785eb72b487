import { type AttributionJob, type AttributionReport, attributionModels } from '@assay/contract'
import { useEffect, useState } from 'react'
import { useRead, useRefresh, useWrite } from '../../api/reads.ts'
import { codeWords } from '../../code-words.ts'
import { formatCount, formatDecimals, formatMoney } from '../../format.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Badge, Card, Page, Progress } from '../../kit/card.tsx'
import { Select } from '../../kit/select.tsx'
import { Empty, ProblemNote, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import type { PageProps } from '../../shell/page-props.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { daysOf } from './days.ts'
import { ExplainPage } from './explain.tsx'
import { PolicyEditor } from './policy.tsx'

const groupings: readonly AttributionReport['group_by'][] = ['channel', 'campaign', 'source']

/** What led to the outcomes: six models side by side, the policy, and each outcome explained. */
export default function AttributionPage({ rest }: PageProps) {
  const [page, ...parts] = rest.split('/')
  if (page === 'policy') return <PolicyEditor />
  if (page === 'explain') return <ExplainPage outcomeId={parts.join('/')} />
  return <Report />
}

function Report() {
  const { siteId, parameters } = usePlace()
  const way = useWay()
  const days = daysOf(parameters)
  const grouping = groupings.find((name) => name === parameters.get('group')) ?? 'channel'
  const report = useRead('getAttributionReport', {
    query: { ...days, site_id: siteId, group_by: grouping },
  })
  const words = text.attribution
  return (
    <Page
      title={text.pages.attribution}
      lead={words.lead}
      acts={
        <>
          <LinkButton href={way.to('attribution/explain')}>{words.explainOne}</LinkButton>
          <LinkButton href={way.to('attribution/policy')}>{words.policy}</LinkButton>
        </>
      }
    >
      <div className="row">
        <Select
          name={words.groupBy}
          value={grouping}
          choices={groupings.map((value) => ({ value, label: words.by[value] }))}
          onChange={(value) => way.go(way.here({ group: value === 'channel' ? null : value }))}
        />
      </div>
      <Shown of={report} lines={8}>
        {(data) => (
          <>
            <Freshness report={data} days={days} />
            {(data.outcomes > 0 || data.days.missing === 0) && <Rows report={data} />}
          </>
        )}
      </Shown>
    </Page>
  )
}

type FreshnessProps = { report: AttributionReport; days: { from: string; to: string } }

/** A job is watched until it ends. */
const lookMs = 2_000

function Freshness({ report, days }: FreshnessProps) {
  const mayWrite = useMay('attribution:write')
  const computing = useWrite('computeAttribution')
  const [jobId, setJob] = useState<string | null>(null)
  const [isRunning, setRunning] = useState(false)
  const { missing, outdated } = report.days
  const start = async () => {
    const begun = await computing.send({ body: days })
    if (begun === null) return
    setJob(begun.job_id)
    setRunning(true)
  }
  const isBehind = missing + outdated > 0
  const range = `${days.from} ${days.to}`
  // Once for each range that is looked at: what changes meanwhile is computed when it is asked for.
  const [computed, setComputed] = useState<string | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another range is what this waits for
  useEffect(() => {
    if (!mayWrite || !isBehind || computed === range) return
    setComputed(range)
    void start()
  }, [range, isBehind, mayWrite])
  const words = text.attribution
  if (!isBehind) return <p className="soft small">{words.upToDate}</p>
  return (
    <Card>
      <div className="row between">
        <p>{words.behind(missing, outdated)}</p>
        {mayWrite && !isRunning && (
          <Button isCompact disabled={computing.isSending} onClick={() => void start()}>
            {words.compute}
          </Button>
        )}
      </div>
      <ProblemNote error={computing.error} />
      {jobId !== null && <Job key={jobId} id={jobId} onOver={() => setRunning(false)} />}
    </Card>
  )
}

function Job({ id, onOver }: { id: string; onOver: () => void }) {
  const refresh = useRefresh()
  const isOver = (status: AttributionJob['status'] | undefined) => status === 'done' || status === 'failed'
  const job = useRead(
    'getAttributionJob',
    { params: { id } },
    { everyMs: (data) => (isOver(data?.status) ? false : lookMs) },
  )
  const status = job.data?.status
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of the job is what this waits for
  useEffect(() => {
    if (!isOver(status)) return
    onOver()
    refresh('getAttributionReport')
  }, [status])
  if (job.data === undefined) return null
  return (
    <div className="stack tight" role="status">
      <span>
        <Badge kind={status === 'done' ? 'accept' : status === 'failed' ? 'reject' : 'warn'}>
          {text.attribution.statuses[job.data.status]}
        </Badge>{' '}
        {job.data.detail}
      </span>
      <Progress label={text.attribution.computing} share={job.data.progress} />
    </div>
  )
}

function Rows({ report }: { report: AttributionReport }) {
  const words = text.attribution
  const { rows, values, outcomes, model, data_driven } = report
  const total = values.map(({ currency, amount }) => formatMoney(amount, currency)).join(', ')
  return (
    <Card title={words.outcomes(formatCount(outcomes))}>
      {total !== '' && <p className="soft small">{words.worth(total)}</p>}
      {rows.length === 0 ? (
        <Empty title={words.empty}>{words.emptyDetail}</Empty>
      ) : (
        <Table
          caption={text.pages.attribution}
          rows={rows}
          keyOf={({ key }) => key}
          columns={[
            {
              title: words.groupings[report.group_by],
              sortBy: ({ key }) => key,
              cell: ({ key }) => <strong>{key}</strong>,
            },
            {
              title: words.touchpoints,
              kind: 'number',
              sortBy: ({ touchpoints }) => touchpoints,
              cell: ({ touchpoints }) => formatCount(touchpoints),
            },
            ...attributionModels.map((name) => ({
              title: name === model ? words.inForce(words.models[name]) : words.models[name],
              kind: 'number' as const,
              sortBy: ({ credits }: AttributionReport['rows'][number]) => credits[name],
              cell: ({ credits }: AttributionReport['rows'][number]) => formatDecimals(credits[name], 2),
            })),
          ]}
        />
      )}
      {data_driven.fallback_reason !== null && (
        <p className="soft small">{words.fallback(codeWords('fallbacks', data_driven.fallback_reason))}</p>
      )}
    </Card>
  )
}
