import { isRecord, type SessionReplay, type TimelineEvent } from '@assay/contract'
import { Link } from 'wouter'
import { useList, useRead } from '../../api/reads.ts'
import { EventPicker } from '../../filters/event-picker.tsx'
import { formatClock, formatDay, formatMoney } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Badge, Card } from '../../kit/card.tsx'
import { EventRow } from '../../kit/event-row.tsx'
import { Issues, Verdict } from '../../kit/issues.tsx'
import { Properties } from '../../kit/properties.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { peopleText } from '../../text/people.ts'
import { text } from '../../text.ts'
import { ExplainLink } from '../attribution/explain-link.tsx'
import { WatchLink } from '../replays/watch-links.tsx'
import { byDayAndVisit, pathOf, type Visit } from './visits.ts'

/** The latest ones; older replays are on their own page. */
const replaysMax = 100
const eventsPerPage = 50

/** Events of a person, newest first, over all identifiers, by day and visit. */
export function Timeline({ personId }: { personId: string }) {
  const { parameters } = usePlace()
  const way = useWay()
  const event = parameters.get('event') ?? ''
  return (
    <Card title={peopleText.people.timeline}>
      <div className="timeline-filter">
        <EventPicker
          label={peopleText.people.eventFilter}
          value={event}
          onChange={(value) => way.go(way.here({ event: value === '' ? null : value }), { replace: true })}
        />
      </div>
      <Events key={event} personId={personId} event={event} />
    </Card>
  )
}

function Events({ personId, event }: { personId: string; event: string }) {
  const { site } = useSession()
  const replays = useRead('listReplays', { query: { person_id: personId, limit: replaysMax } })
  const recorded = replays.data?.data ?? []
  const events = useList('getTimeline', (cursor) => ({
    params: { id: personId },
    query: {
      limit: eventsPerPage,
      ...(event !== '' && { event }),
      ...(cursor !== undefined && { cursor }),
    },
  }))
  const empty = <Empty title={event === '' ? peopleText.people.noEvents : peopleText.people.noSuchEvents} />
  return (
    <Shown of={events} empty={(rows) => (rows.length === 0 ? empty : null)}>
      {(rows) => (
        <div className="stack">
          {byDayAndVisit(rows, (time) => formatDay(time, site.timezone)).map(({ day, visits }) => (
            <section key={day} className="stack tight" aria-label={day}>
              <h3 className="timeline-day">{day}</h3>
              {visits.map((visit) => (
                <VisitEvents
                  key={visit.key}
                  visit={visit}
                  replays={recorded.filter((replay) => replay.session_id === visit.sessionId)}
                />
              ))}
            </section>
          ))}
          {events.more !== null && (
            <div>
              <Button onClick={events.more} disabled={events.isLoadingMore}>
                {peopleText.people.older}
              </Button>
            </div>
          )}
        </div>
      )}
    </Shown>
  )
}

type VisitProps = { visit: Visit; replays: readonly SessionReplay[] }

function VisitEvents({ visit: { events }, replays }: VisitProps) {
  const { sites } = useSession()
  const first = events.at(-1)
  if (first === undefined) return null
  const siteName = sites.length > 1 ? sites.find(({ id }) => id === first.site_id)?.name : undefined
  const about = [
    siteName,
    first.source.channel,
    first.source.surface,
    peopleText.people.eventCount(events.length),
  ]
  return (
    <div className="timeline-visit">
      <p className="row between soft small">
        <span>{about.filter((part) => part !== undefined && part !== '').join(' · ')}</span>
        <WatchLink of={replays} at={first.ts} />
      </p>
      <ul className="event-list">
        {events.map((event) => (
          <Moment key={event.event_id} event={event} />
        ))}
      </ul>
    </div>
  )
}

function Moment({ event }: { event: TimelineEvent }) {
  const { site } = useSession()
  const { ts, name, verdict, url, title, counted, amount, currency } = event
  return (
    <EventRow
      name={name}
      detail={pathOf(url) || title}
      badges={
        <>
          {amount !== null && <strong>{formatMoney(amount, currency)}</strong>}
          {verdict.outcome !== 'accept' && <Verdict outcome={verdict.outcome} />}
          {!counted && <Badge kind="warn">{peopleText.people.notCounted}</Badge>}
        </>
      }
      when={<time dateTime={ts}>{formatClock(ts, site.timezone)}</time>}
    >
      <Opened event={event} />
    </EventRow>
  )
}

function Opened({
  event: { event_id, name, sent_name, url, verdict, properties },
}: {
  event: TimelineEvent
}) {
  const way = useWay()
  return (
    <>
      {url !== '' && <p className="soft small break">{url}</p>}
      {name !== sent_name && <p className="soft small">{text.live.as(name)}</p>}
      {verdict.issues.length > 0 && <Issues of={verdict.issues} />}
      <Properties of={isRecord(properties) ? properties : {}} />
      <div className="row">
        <Link href={way.to('receipts', { id: event_id })} aria-label={text.live.receiptOf(event_id)}>
          {text.live.receipt}
        </Link>
        <ExplainLink eventId={event_id} name={name} />
      </div>
    </>
  )
}
