import { type DriftAlert, driftDaysMax, driftStatuses } from '@assay/contract'
import { Link } from 'wouter'
import { useRead, useWrite } from '../../api/reads.ts'
import { formatCount, formatDecimals, formatMinute, formatShare } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { Select } from '../../kit/select.tsx'
import { Empty, ProblemNote, Shown } from '../../kit/states.tsx'
import { capitalised } from '../../plural.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { watchText } from '../../text/watch.ts'
import { text } from '../../text.ts'

/** Elements that people used and that changed: what they were, what they seem to be now, and what hangs on them. */
export default function DriftPage() {
  const { siteId, parameters } = usePlace()
  const { site } = useSession()
  const status = driftStatuses.find((name) => name === parameters.get('status'))
  const query = { siteId, ...(status !== undefined && { status }) }
  const drift = useRead('listDrift', { query })
  const words = watchText.drift
  return (
    <Page title={text.pages.drift} lead={words.lead} acts={<StatusSelect />}>
      <Shown
        of={drift}
        lines={8}
        empty={({ alerts }) =>
          alerts.length === 0 ? (
            <Card>
              <Empty title={words.empty}>{words.emptyDetail}</Empty>
            </Card>
          ) : null
        }
      >
        {({ alerts, checkedAt }) => (
          <div className="stack">
            {alerts.map((alert) => (
              <AlertCard key={alert.id} alert={alert} />
            ))}
            <p className="soft small">{words.checked(formatMinute(checkedAt, site.timezone))}</p>
          </div>
        )}
      </Shown>
    </Page>
  )
}

function StatusSelect() {
  const { parameters } = usePlace()
  const way = useWay()
  const words = watchText.drift
  return (
    <Select
      name={words.which}
      value={parameters.get('status') ?? ''}
      choices={[
        { value: '', label: words.all },
        ...driftStatuses.map((value) => ({
          value: String(value),
          label: capitalised(words.statuses[value]),
        })),
      ]}
      onChange={(status) => way.go(way.here({ status }))}
    />
  )
}

const severityKinds = { low: '', medium: 'warn', high: 'reject' }
const statusKinds = { open: 'warn', accepted: 'accept', muted: '', resolved: 'accept' }

function AlertCard({ alert }: { alert: DriftAlert }) {
  const { site } = useSession()
  const way = useWay()
  const words = watchText.drift
  return (
    <Card title={alert.text || alert.selector} act={<Acts alert={alert} />}>
      <div className="row">
        <Badge kind={statusKinds[alert.status]}>{words.statuses[alert.status]}</Badge>
        <Badge>{words.kinds[alert.kind]}</Badge>
        <Badge kind={severityKinds[alert.severity]}>{words.severities[alert.severity]}</Badge>
        <code className="break">{alert.page}</code>
      </div>
      <div className="row">
        <Side title={words.before} selector={alert.selector} />
        {alert.candidate === null ? (
          <span className="soft">{words.noCandidate}</span>
        ) : (
          <Side title={words.after} {...alert.candidate} isNewText={alert.candidate.text !== alert.text} />
        )}
      </div>
      {alert.kind === 'ambiguous' && <p className="note warn">{words.severalCandidates}</p>}
      <div className="row soft small">
        <span>{words.since(formatMinute(alert.openedAt, site.timezone))}</span>
        <span>{clicksOf(alert)}</span>
        {alert.affectedEvents.length > 0 && <span>{words.events(alert.affectedEvents.join(', '))}</span>}
        {alert.affectedFunnels.length > 0 && (
          <Link href={way.to('funnels')}>{words.funnels(alert.affectedFunnels.length)}</Link>
        )}
      </div>
    </Card>
  )
}

const clicksOf = ({ observed, expectedPerDay }: DriftAlert) =>
  watchText.drift.clicksText(formatCount(observed), driftDaysMax, formatDecimals(expectedPerDay, 1))

type SideProps = { title: string; selector: string; text?: string; score?: number; isNewText?: boolean }

/** An element as it was, or as it seems to be now. */
function Side({ title, selector, text: said = '', score, isNewText = false }: SideProps) {
  return (
    <span className="row">
      <span className="soft small">{title}</span>
      <code className="break">{selector}</code>
      {isNewText && (
        <span>{said === '' ? <span className="soft">{watchText.drift.noText}</span> : `“${said}”`}</span>
      )}
      {score !== undefined && <Badge kind="accept">{watchText.drift.likeness(formatShare(score))}</Badge>}
    </span>
  )
}

function Acts({ alert }: { alert: DriftAlert }) {
  const mayWrite = useMay('analytics:write')
  const changing = useWrite('updateDrift', ['listDrift'])
  const say = useNotice()
  if (!mayWrite) return null
  const words = watchText.drift
  const set = async (status: DriftAlert['status']) => {
    const answer = await changing.send({ params: { id: alert.id }, body: { status } })
    if (answer !== null) say(status === 'accepted' ? words.accepted : words.changed)
  }
  const act = (status: DriftAlert['status'], name: string, look: 'primary' | 'usual' = 'usual') => (
    <Button
      isCompact
      look={look}
      disabled={changing.isSending}
      aria-label={`${name}: ${alert.text || alert.selector}`}
      onClick={() => void set(status)}
    >
      {name}
    </Button>
  )
  return (
    <span className="row">
      {alert.status === 'open' ? (
        <>
          {alert.candidate !== null && act('accepted', words.accept, 'primary')}
          {act('muted', words.mute)}
          {act('resolved', words.resolve)}
        </>
      ) : (
        act('open', words.reopen)
      )}
      <ProblemNote error={changing.error} />
    </span>
  )
}
