import { type Destination, type Dispatch, sendStatuses } from '@assay/contract'
import { useList, useWrite } from '../../api/reads.ts'
import { formatTime } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Badge } from '../../kit/card.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { Select } from '../../kit/select.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import { capitalised } from '../../plural.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'

type Props = { destination: Destination; mayWrite: boolean }

/** What was sent, waits or was given up. */
export function Dispatches({ destination, mayWrite }: Props) {
  const { parameters } = usePlace()
  const way = useWay()
  const status = sendStatuses.find((name) => name === parameters.get('status'))
  const words = text.destinations
  const params = { id: destination.id }
  const dispatches = useList(
    'listDispatches',
    (cursor) => ({
      params,
      query: { limit: 50, ...(status && { status }), ...(cursor !== undefined && { cursor }) },
    }),
    { everyMs: 5_000 },
  )
  return (
    <div className="stack">
      <div className="row between">
        <Select
          name={words.which}
          value={status ?? 'all'}
          choices={[
            { value: 'all', label: words.all },
            ...sendStatuses.map((value) => ({
              value: String(value),
              label: capitalised(words.sendStatuses[value]),
            })),
          ]}
          onChange={(value) => way.go(way.here({ status: value === 'all' ? null : value }))}
        />
        {mayWrite && destination.dead > 0 && <ReplayAll destination={destination} />}
      </div>
      <ListTable
        of={dispatches}
        caption={words.log}
        keyOf={({ id }) => id}
        empty={{ title: words.noLog }}
        columns={useColumns(mayWrite)}
      />
    </div>
  )
}

function useColumns(mayWrite: boolean) {
  const { site } = useSession()
  const words = text.destinations
  return [
    { title: words.at, cell: ({ created_at }: Dispatch) => formatTime(created_at, site.timezone) },
    {
      title: words.kind,
      phone: 'bare' as const,
      cell: ({ kind, type }: Dispatch) => (
        <span className="row">
          <code>{type}</code>
          {kind !== 'event' && <Badge>{words.kinds[kind]}</Badge>}
        </span>
      ),
    },
    {
      title: words.state,
      phone: 'end' as const,
      cell: ({ status, next_attempt_at }: Dispatch) => (
        <div className="stack tight">
          <span>
            <Badge kind={{ pending: 'warn', delivered: 'accept', dead: 'reject' }[status]}>
              {words.sendStatuses[status]}
            </Badge>
          </span>
          {status === 'pending' && next_attempt_at !== null && (
            <span className="soft small">{words.next(formatTime(next_attempt_at, site.timezone))}</span>
          )}
        </div>
      ),
    },
    { title: words.tries, kind: 'number' as const, cell: ({ attempts }: Dispatch) => attempts },
    {
      title: words.answer,
      cell: ({ response_status, error }: Dispatch) => (
        <span className="small break">
          {[response_status, error].filter((part) => part !== null).join(' ') || text.nothing}
        </span>
      ),
    },
    {
      title: text.acts.act,
      kind: 'act' as const,
      cell: (dispatch: Dispatch) => (mayWrite ? <ReplayOne dispatch={dispatch} /> : null),
    },
  ]
}

function useReplay(id: string) {
  const replaying = useWrite('replayDispatches', ['listDispatches', 'getDestination'])
  const say = useNotice()
  const replay = async (deliveryId?: string) => {
    const body = deliveryId === undefined ? {} : { delivery_id: deliveryId }
    const done = await replaying.send({ params: { id }, body })
    if (done !== null) say(text.destinations.replayed(done.replayed))
  }
  return { replay, isSending: replaying.isSending, error: replaying.error }
}

function ReplayAll({ destination }: { destination: Destination }) {
  const { replay, isSending, error } = useReplay(destination.id)
  return (
    <div className="stack tight">
      <Button isCompact disabled={isSending} onClick={() => void replay()}>
        {text.destinations.replayAll}
      </Button>
      <ProblemNote error={error} />
    </div>
  )
}

function ReplayOne({ dispatch }: { dispatch: Dispatch }) {
  const { replay, isSending, error } = useReplay(dispatch.destination_id)
  if (dispatch.status === 'pending' || dispatch.kind === 'test') return null
  return (
    <>
      <Button
        isCompact
        aria-label={text.destinations.replayOf(dispatch.type)}
        disabled={isSending}
        onClick={() => void replay(dispatch.id)}
      >
        {text.destinations.replay}
      </Button>
      <ProblemNote error={error} />
    </>
  )
}
