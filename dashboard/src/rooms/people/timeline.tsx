import type { TimelineEvent } from '@assay/contract'
import { Link } from 'wouter'
import { useList } from '../../api/reads.ts'
import { formatTime, toJson } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Badge, Card } from '../../kit/card.tsx'
import { Verdict } from '../../kit/issues.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { useWay } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'

/** What somebody did, newest first, over all identifiers. */
export function Timeline({ personId }: { personId: string }) {
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
                <Moment key={event.event_id} event={event} />
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

function Moment({ event }: { event: TimelineEvent }) {
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
