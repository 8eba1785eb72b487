import { type Anomaly, anomalyStatuses } from '@assay/contract'
import { Link } from 'wouter'
import { type Listing, useList, useWrite } from '../../api/reads.ts'
import { codeWords } from '../../code-words.ts'
import { formatDay, formatMinute } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Badge, Card } from '../../kit/card.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { Select } from '../../kit/select.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import { capitalised } from '../../plural.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { watchText } from '../../text/watch.ts'
import { text } from '../../text.ts'
import { observedText } from './observed.ts'

const muteDays = 7
const anomaliesPerPage = 20

/** Those of the site, or of one event; which ones stands in the address. */
export function useAnomalies(event?: string): Listing<Anomaly> {
  const { siteId, parameters } = usePlace()
  const status = anomalyStatuses.find((name) => name === parameters.get('anomalies'))
  return useList('listAnomalies', (cursor) => ({
    query: {
      site_id: siteId,
      limit: anomaliesPerPage,
      ...(event !== undefined && { event }),
      ...(status !== undefined && { status }),
      ...(cursor !== undefined && { cursor }),
    },
  }))
}

/** Anomalies, with their suspected causes. */
export function AnomalyList({ of }: { of: Listing<Anomaly> }) {
  const { site } = useSession()
  const mayWrite = useMay('health:write')
  const words = watchText.eventHealth
  return (
    <Card title={words.anomalies} act={<StatusSelect />}>
      <ListTable
        of={of}
        caption={words.anomalies}
        keyOf={({ id }) => id}
        empty={{ title: words.noAnomalies, detail: words.noAnomaliesDetail }}
        columns={[
          {
            title: words.since,
            kind: 'time',
            cell: ({ started_at }) => formatMinute(started_at, site.timezone),
          },
          { title: words.what, cell: (anomaly) => <What anomaly={anomaly} /> },
          { title: words.observed, cell: observedText },
          { title: words.cause, cell: ({ suspected_cause }) => causeText(suspected_cause) },
          {
            title: text.acts.act,
            kind: 'act',
            cell: (anomaly) => (mayWrite ? <Acts anomaly={anomaly} /> : null),
          },
        ]}
      />
    </Card>
  )
}

function StatusSelect() {
  const { parameters } = usePlace()
  const way = useWay()
  const words = watchText.eventHealth
  return (
    <Select
      name={words.which}
      value={parameters.get('anomalies') ?? ''}
      choices={[
        { value: '', label: words.all },
        ...anomalyStatuses.map((value) => ({
          value: String(value),
          label: capitalised(words.anomalyStatuses[value]),
        })),
      ]}
      onChange={(anomalies) => way.go(way.here({ anomalies }))}
    />
  )
}

function What({ anomaly }: { anomaly: Anomaly }) {
  const { site } = useSession()
  const way = useWay()
  const words = watchText.eventHealth
  const { type, event_key, issue, severity, status, is_alert, muted_until, note } = anomaly
  return (
    <div className="stack tight">
      <span>
        {words.types[type]}:{' '}
        {event_key === null ? (
          <strong>{words.allEvents}</strong>
        ) : (
          <Link href={way.to(`event-health/event/${event_key}`)}>{event_key}</Link>
        )}
        {issue !== null && <span className="soft">, {issueText(issue)}</span>}
      </span>
      <span className="row">
        <Badge kind={severity === 'critical' ? 'reject' : 'warn'}>{words.severities[severity]}</Badge>
        <Badge>{words.anomalyStatuses[status]}</Badge>
        {muted_until !== null && (
          <span className="soft small">{words.mutedUntil(formatDay(muted_until, site.timezone))}</span>
        )}
        {!is_alert && (
          <span className="soft small" title={words.noAlertMeans}>
            {words.noAlert}
          </span>
        )}
      </span>
      {note !== null && note !== '' && <span className="soft small break">{note}</span>}
    </div>
  )
}

/** A code of the gate, a property and what became of it, or a surface of which nothing comes. */
function issueText(issue: string): string {
  const words = watchText.eventHealth
  const [kind = '', ...rest] = issue.split(':')
  if (kind === 'surface') return words.wholeSurface(rest.join(':'))
  const describe = Object.entries(words.issueKinds).find(([known]) => known === kind)?.[1]
  return describe === undefined ? words.issueRose(codeWords('issues', issue)) : describe(rest.join(':'))
}

const causes = ['app_version', 'sdk', 'source', 'contract_version'] as const

export function causeText(cause: Anomaly['suspected_cause']): string {
  const words = watchText.eventHealth
  const named = causes.flatMap((name) => {
    const value = cause[name]
    return value === null ? [] : [`${words.causeNames[name]} ${value}`]
  })
  return named.join(', ') || words.noCause
}

function Acts({ anomaly }: { anomaly: Anomaly }) {
  const acknowledging = useWrite('acknowledgeAnomaly', ['listAnomalies'])
  const muting = useWrite('muteAnomaly', ['listAnomalies'])
  const say = useNotice()
  const words = watchText.eventHealth
  const params = { id: anomaly.id }
  const acknowledge = async () => {
    if ((await acknowledging.send({ params, body: {} })) !== null) say(words.acknowledged)
  }
  const mute = async () => {
    if ((await muting.send({ params, body: { days: muteDays } })) !== null) say(words.muted)
  }
  const isSending = acknowledging.isSending || muting.isSending
  return (
    <span className="row end">
      {anomaly.status === 'open' && (
        <Button isCompact disabled={isSending} onClick={() => void acknowledge()}>
          {words.acknowledge}
        </Button>
      )}
      {anomaly.status !== 'muted' && (
        <Button isCompact disabled={isSending} onClick={() => void mute()}>
          {words.mute(muteDays)}
        </Button>
      )}
      <ProblemNote error={acknowledging.error ?? muting.error} />
    </span>
  )
}
