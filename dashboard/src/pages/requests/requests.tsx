import type { SubjectRequest } from '@assay/contract'
import { useEffect, useState } from 'react'
import { useList, useWrite } from '../../api/reads.ts'
import { now } from '../../clock.ts'
import { formatCount, formatDuration, formatTime } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { NoPermission, ProblemNote } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import { useMay, useSession } from '../../shell/session.ts'
import { peopleText } from '../../text/people.ts'
import { text } from '../../text.ts'
import { RequestForm } from './request-form.tsx'

/** A request takes a minute at most; who watches it wants to see it move. */
const lookMs = 2_000

/** What people ask of their data, with the clock that runs meanwhile. */
export default function RequestsPage() {
  const [mayRead, mayWrite] = [useMay('privacy:read'), useMay('privacy:write')]
  return (
    <Page title={text.pages.requests} lead={peopleText.requests.lead}>
      {mayWrite && (
        <Card title={peopleText.requests.ask}>
          <RequestForm />
        </Card>
      )}
      <Card title={peopleText.requests.list}>{mayRead ? <Requests /> : <NoPermission />}</Card>
    </Page>
  )
}

function Requests() {
  const { site } = useSession()
  const requests = useList(
    'listSubjectRequests',
    (cursor) => ({ query: { limit: 50, ...(cursor !== undefined && { cursor }) } }),
    { everyMs: lookMs },
  )
  const words = peopleText.requests
  return (
    <ListTable
      of={requests}
      caption={words.list}
      keyOf={({ id }) => id}
      empty={{ title: words.empty }}
      columns={[
        { title: words.type, cell: ({ type }) => words.types[type] },
        { title: words.status, cell: (request) => <Status request={request} /> },
        {
          title: words.received,
          kind: 'time',
          cell: ({ received_at }) => formatTime(received_at, site.timezone),
        },
        { title: words.clock, cell: (request) => <Countdown request={request} /> },
        { title: words.result, cell: (request) => <Result request={request} /> },
        { title: text.acts.act, kind: 'act', cell: (request) => <Cancel request={request} /> },
      ]}
    />
  )
}

const kinds = { pending: '', in_progress: 'warn', completed: 'accept', failed: 'reject', cancelled: '' }

function Status({ request: { status, progress, error } }: { request: SubjectRequest }) {
  return (
    <div className="stack tight">
      <span>
        <Badge kind={kinds[status]}>{peopleText.requests.statuses[status]}</Badge>
      </span>
      {status === 'in_progress' && (
        <span className="soft small">
          {progress.step}, {formatCount(progress.done)}
        </span>
      )}
      {error !== null && <span className="small">{error}</span>}
    </div>
  )
}

/** The sixty seconds: how many are left, or whether they were enough. */
function Countdown({ request }: { request: SubjectRequest }) {
  const isRunning = request.status === 'pending' || request.status === 'in_progress'
  const [at, setAt] = useState(now)
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setAt(now()), 1_000)
    return () => clearInterval(timer)
  }, [isRunning])
  const { due_at, received_at, completed_at, sla_met } = request
  if (isRunning) {
    const leftMs = new Date(due_at).getTime() - at
    return leftMs > 0 ? peopleText.requests.left(Math.ceil(leftMs / 1_000)) : peopleText.requests.overdue
  }
  if (completed_at === null) return text.nothing
  const took = formatDuration(new Date(completed_at).getTime() - new Date(received_at).getTime())
  return (
    <Badge kind={sla_met === true ? 'accept' : 'reject'}>
      {sla_met === true ? peopleText.requests.inTime(took) : peopleText.requests.late(took)}
    </Badge>
  )
}

const rowsOf = (counts: Readonly<Record<string, number>>) =>
  formatCount(Object.values(counts).reduce((sum, count) => sum + count, 0))

function Result({ request }: { request: SubjectRequest }) {
  const archive = request.export
  if (request.forget !== null) return <Forgotten request={request} />
  if (archive === null) return text.nothing
  return (
    <div className="stack tight">
      <span>{peopleText.requests.rows(rowsOf(archive.counts))}</span>
      {archive.url !== null && <a href={archive.url}>{peopleText.requests.download}</a>}
    </div>
  )
}

/** What was erased, and the certificate that anyone can verify. */
function Forgotten({ request: { forget } }: { request: SubjectRequest }) {
  const say = useNotice()
  if (forget === null) return null
  const { mode, counts, certificate } = forget
  const copy = () =>
    navigator.clipboard.writeText(certificate ?? '').then(
      () => say(text.acts.copied),
      () => say(text.acts.notCopied),
    )
  return (
    <div className="stack tight">
      <span>
        {peopleText.requests.modes[mode]}: {peopleText.requests.rows(rowsOf(counts))}
      </span>
      {certificate !== null && (
        <span>
          <Button isCompact onClick={() => void copy()}>
            {peopleText.requests.certificate}
          </Button>
        </span>
      )}
    </div>
  )
}

function Cancel({ request }: { request: SubjectRequest }) {
  const cancelling = useWrite('cancelSubjectRequest', ['listSubjectRequests'])
  const mayWrite = useMay('privacy:write')
  if (request.status !== 'pending' || !mayWrite) return null
  return (
    <>
      <Button isCompact onClick={() => void cancelling.send({ params: { id: request.id } })}>
        {peopleText.requests.cancel}
      </Button>
      <ProblemNote error={cancelling.error} />
    </>
  )
}
