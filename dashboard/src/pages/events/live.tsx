import { outcomes, type RecentEvent, recentEventsMax } from '@assay/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { useCall } from '../../api/reads.ts'
import { now } from '../../clock.ts'
import { formatAgo } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { EventRow } from '../../kit/event-row.tsx'
import { Issues, Verdict } from '../../kit/issues.tsx'
import { Properties } from '../../kit/properties.tsx'
import { Select } from '../../kit/select.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { capitalised } from '../../plural.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'

/** Fast, because someone is watching. */
const lookMs = 2_000
/** About one screen of a phone; more on request. */
const rowsShown = 20

type Stream = { events: readonly RecentEvent[]; cursor: string; fresh: number }
const nothingYet: Stream = { events: [], cursor: '', fresh: 0 }

/** New events are put before the known ones; after a server restart or an erasure the list starts again. */
function joined(before: Stream, { data, cursor }: { data: readonly RecentEvent[]; cursor: string }): Stream {
  const isSameRun = before.cursor.split('.')[0] === cursor.split('.')[0]
  const events = isSameRun ? [...data, ...before.events].slice(0, recentEventsMax) : data
  return { events, cursor, fresh: data.length }
}

function useStream(isPaused: boolean) {
  const { siteId } = usePlace()
  const { call, workspaceId } = useCall()
  return useQuery<Stream, Error>({
    queryKey: [workspaceId, 'listRecentEvents', siteId],
    queryFn: async ({ client, queryKey }) => {
      const before = client.getQueryData<Stream>(queryKey) ?? nothingYet
      const after = before.cursor === '' ? {} : { after: before.cursor }
      return joined(before, await call('listRecentEvents', { query: { site_id: siteId, ...after } }))
    },
    refetchInterval: isPaused ? false : lookMs,
    staleTime: 0,
  })
}

/** Events as they pass the gate, those that it refuses too. */
export default function LivePage() {
  const [isPaused, setPaused] = useState(false)
  const stream = useStream(isPaused)
  const { parameters } = usePlace()
  const way = useWay()
  const outcome = outcomes.find((name) => name === parameters.get('outcome'))
  const words = text.live
  return (
    <Page
      title={text.pages.live}
      lead={words.lead}
      acts={
        <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? words.goOn : words.pause}
        </Button>
      }
    >
      <Card>
        <div className="row between">
          <Select
            name={words.which}
            value={outcome ?? 'all'}
            choices={[
              { value: 'all', label: words.all },
              ...outcomes.map((value) => ({
                value: String(value),
                label: capitalised(text.outcomes[value]),
              })),
            ]}
            onChange={(value) => way.go(way.here({ outcome: value === 'all' ? null : value }))}
          />
          <span className="soft small">
            {!isPaused && <span className="pulse" aria-hidden="true" />}
            {isPaused ? words.paused : words.running}
          </span>
        </div>
        <Shown of={stream}>{(data) => <Arrived stream={data} outcome={outcome ?? null} />}</Shown>
      </Card>
    </Page>
  )
}

function Arrived({ stream, outcome }: { stream: Stream; outcome: string | null }) {
  const [shown, setShown] = useState(rowsShown)
  const rows = stream.events.filter((event) => outcome === null || event.outcome === outcome)
  return (
    <>
      <p className="hidden" role="status">
        {stream.fresh > 0 && text.live.arrived(stream.fresh)}
      </p>
      {rows.length === 0 ? (
        <Empty title={text.live.empty}>{text.live.emptyDetail}</Empty>
      ) : (
        <ul className="event-list" aria-label={text.pages.live}>
          {rows.slice(0, shown).map((event) => (
            <Arrival key={event.id} event={event} />
          ))}
        </ul>
      )}
      {rows.length > shown && (
        <div>
          <Button onClick={() => setShown(shown + rowsShown)}>{text.acts.more}</Button>
        </div>
      )}
    </>
  )
}

function Arrival({ event }: { event: RecentEvent }) {
  const { name, sent_name, path, endpoint, outcome, duplicate, received_at } = event
  const isRenamed = name !== sent_name && name !== ''
  const detail = [path, isRenamed ? text.live.as(name) : '', endpointText(endpoint)]
  return (
    <EventRow
      name={sent_name}
      detail={detail.filter((part) => part !== '').join(' · ')}
      badges={
        <>
          <Verdict outcome={outcome} />
          {duplicate && <Badge kind="warn">{text.live.duplicate}</Badge>}
        </>
      }
      when={formatAgo(received_at, now())}
    >
      <Opened event={event} />
    </EventRow>
  )
}

function endpointText(endpoint: string): string {
  const { endpoints } = text.live
  if (endpoint === 'track' || endpoint === 'batch' || endpoint === 'ingest') return endpoints[endpoint]
  return endpoint.replace('webhook:', '')
}

/** A rejected event leaves nothing behind that could be opened. */
function Opened({ event }: { event: RecentEvent }) {
  const way = useWay()
  const { event_id, sent_name, outcome, issues, properties, properties_truncated } = event
  if (outcome === 'reject') {
    return (
      <>
        <Issues of={issues} />
        <p className="soft small">{text.live.rejected}</p>
      </>
    )
  }
  return (
    <>
      {issues.length > 0 && <Issues of={issues} />}
      {properties === null ? (
        <p className="soft small">{text.live.noPermission}</p>
      ) : (
        <Properties of={properties} />
      )}
      {properties_truncated && <p className="soft small">{text.live.truncated}</p>}
      <div className="row">
        {outcome === 'quarantine' && (
          <Link href={way.to('quarantine', { event: sent_name })} aria-label={text.live.reviewOf(sent_name)}>
            {text.live.review}
          </Link>
        )}
        <Link href={way.to('receipts', { id: event_id })} aria-label={text.live.receiptOf(event_id)}>
          {text.live.receipt}
        </Link>
      </div>
    </>
  )
}
