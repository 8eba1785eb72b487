import { Link } from 'wouter'
import { useRead } from '../../api/reads.ts'
import { formatTime, toJson } from '../../format.ts'
import { Card, Facts } from '../../kit/card.tsx'
import { Code } from '../../kit/code.tsx'
import { Issues } from '../../kit/issues.tsx'
import { Shown } from '../../kit/states.tsx'
import { useWay } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { eventText } from '../../text/events.ts'

/** One quarantined event, as it was sent. */
export function QuarantinedSample({ id }: { id: string }) {
  const { site } = useSession()
  const way = useWay()
  const held = useRead('getQuarantined', { params: { id } })
  const words = eventText.quarantine
  return (
    <Card title={words.asSent}>
      <Shown of={held}>
        {({ event_id, sent, issues, ts, expires_at }) => (
          <div className="stack">
            <Facts
              of={[
                [words.eventId, <code key="id">{event_id}</code>],
                [words.happened, formatTime(ts, site.timezone)],
                [words.expires, formatTime(expires_at, site.timezone)],
                [words.who, sent.user_id ?? sent.anonymous_id ?? sent.person_id],
              ]}
            />
            <Issues of={issues} />
            <Code label={words.properties}>{toJson(sent.properties)}</Code>
            <Link href={way.to('receipts', { id: event_id })}>{words.receipt}</Link>
          </div>
        )}
      </Shown>
    </Card>
  )
}
