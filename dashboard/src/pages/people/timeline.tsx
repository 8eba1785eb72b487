import type { SessionReplay, TimelineEvent } from '@assay/contract'
import { Link } from 'wouter'
import { useList, useRead } from '../../api/reads.ts'
import { formatTime, toJson } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Badge, Card } from '../../kit/card.tsx'
import { Verdict } from '../../kit/issues.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { useWay } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { ExplainLink } from '../attribution/explain-link.tsx'
import { WatchLink } from '../replays/watch-links.tsx'

/** The latest ones; older replays are on their own page. */
const replaysMax = 100

/** Events of a person, newest first, over all identifiers. */
export function Timeline({ personId }: { personId: string }) {
  const replays = useRead('listReplays', { query: { person_id: personId, limit: replaysMax } })
  const films = replays.data?.data ?? []
  const events = useList('getTimeline', (cursor) => ({
    params: { id: personId },
    query: { limit: 30, ...(cursor !== undefined && { cursor }) },
  }))
  return (
    <Card title={text.people.timeline}>
      <Shown
        of={events}
        empty={(rows) => (rows.length === 0 ? <Empty title={text.people.noEvents} /> : null)}
      >
        {(rows) => (
          <>
            <ol className="timeline">
              {rows.map((event) => (
                <Moment
                  key={event.event_id}
                  event={event}
                  films={films.filter((film) => film.session_id === event.session_id)}
                />
              ))}
            </ol>
            {events.more !== null && (
              <div>
                <Button onClick={events.more} disabled={events.isLoadingMore}>
                  {text.acts.more}
                </Button>
              </div>
            )}
          </>
        )}
      </Shown>
    </Card>
  )
}

type MomentProps = { event: TimelineEvent; films: readonly SessionReplay[] }

function Moment({ event, films }: MomentProps) {
  const { site } = useSession()
  const way = useWay()
  const { event_id, ts, name, verdict, url, source, counted, properties } = event
  return (
    <li>
      <time className="soft small" dateTime={ts}>
        {formatTime(ts, site.timezone)}
      </time>
      <div className="stack tight">
        <span className="row">
          <Link href={way.to('receipts', { id: event_id })}>{name}</Link>
          {verdict.outcome !== 'accept' && <Verdict outcome={verdict.outcome} />}
          {!counted && <Badge kind="warn">{text.people.notCounted}</Badge>}
          <WatchLink of={films} at={ts} />
          <ExplainLink eventId={event_id} name={name} />
        </span>
        <span className="soft small break">
          {[url, source.channel, source.surface].filter((part) => part !== '').join(' · ')}
        </span>
        <details>
          <summary className="small">{text.people.properties}</summary>
          <pre className="small break wrap">{toJson(properties)}</pre>
        </details>
      </div>
    </li>
  )
}
