import type { Backfill } from '@assay/contract'
import { useList, useWrite } from '../../api/reads.ts'
import { formatCount, formatDay, formatShare } from '../../format.ts'
import { Badge, Card, Progress } from '../../kit/card.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { Table } from '../../kit/table.tsx'
import { usePlace } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { eventText } from '../../text/events.ts'
import { text } from '../../text.ts'

/** Someone may be watching a job. */
const lookMs = 3_000
const isUnderWay = ({ status }: Backfill) => ['queued', 'running', 'withdrawing'].includes(status)

/** The back-fills of the site with their progress; nothing where there are none. */
export function Backfills() {
  const { siteId } = usePlace()
  const { site } = useSession()
  const mayWrite = useMay('registry:write')
  const input = (cursor: string | undefined) => ({
    query: { siteId, limit: 20, ...(cursor !== undefined && { cursor }) },
  })
  const settled = useList('listBackfills', input)
  const watched = useList('listBackfills', input, {
    everyMs: (settled.data ?? []).some(isUnderWay) ? lookMs : false,
  })
  const rows = watched.data ?? []
  if (rows.length === 0) return null
  const acts = {
    title: text.acts.act,
    kind: 'act' as const,
    cell: (job: Backfill) => <Withdraw job={job} />,
  }
  return (
    <Card title={eventText.backfills.list}>
      <Table
        caption={eventText.backfills.list}
        rows={rows}
        keyOf={({ id }) => id}
        columns={[...columnsFor(site.timezone), ...(mayWrite ? [acts] : [])]}
      />
    </Card>
  )
}

const columnsFor = (timezone: string) => [
  { title: eventText.backfills.rule, cell: ({ source, target }: Backfill) => `${source} → ${target}` },
  {
    title: eventText.backfills.range,
    cell: ({ from, to }: Backfill) => `${formatDay(from, timezone)} – ${formatDay(to, timezone)}`,
  },
  {
    title: eventText.backfills.status,
    cell: (job: Backfill) => (
      <div className="stack tight">
        <span>
          <Badge kind={job.status === 'done' ? 'accept' : job.status === 'failed' ? 'reject' : ''}>
            {eventText.backfills.statuses[job.status]}
          </Badge>{' '}
          {isUnderWay(job) && formatShare(job.progress)}
        </span>
        {isUnderWay(job) && <Progress label={eventText.backfills.progress} share={job.progress} />}
      </div>
    ),
  },
  {
    title: eventText.backfills.events,
    kind: 'number' as const,
    cell: ({ events }: Backfill) => formatCount(events),
  },
]

function Withdraw({ job }: { job: Backfill }) {
  const withdrawing = useWrite('withdrawBackfill', ['listBackfills'])
  if (job.status === 'withdrawn' || job.status === 'withdrawing') return null
  const confirm = async () => (await withdrawing.send({ params: { id: job.id } })) !== null
  return (
    <Confirm
      act={eventText.backfills.withdraw}
      label={`${eventText.backfills.withdraw}: ${job.source}`}
      title={eventText.backfills.withdrawTitle}
      onConfirm={confirm}
      error={withdrawing.error}
      isSending={withdrawing.isSending}
    >
      <p>{eventText.backfills.withdrawMeans}</p>
    </Confirm>
  )
}
