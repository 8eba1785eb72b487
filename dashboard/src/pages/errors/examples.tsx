import { useState } from 'react'
import { Link } from 'wouter'
import { formatTime } from '../../format.ts'
import { Card } from '../../kit/card.tsx'
import { Code } from '../../kit/code.tsx'
import { useWay } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { eventText } from '../../text/events.ts'
import { text } from '../../text.ts'
import { WatchSession } from '../replays/watch-links.tsx'
import type { Read } from './error-read.ts'

export function Examples({ error }: { error: Read }) {
  return (
    <Card title={text.errors.examples}>
      {error.examples.map((example) => (
        <Example key={example.eventId} of={example} />
      ))}
    </Card>
  )
}

function Example({ of }: { of: Read['examples'][number] }) {
  const { site } = useSession()
  const way = useWay()
  const [isOpen, setOpen] = useState(false)
  const words = text.errors
  const { eventId, sessionId, at, message, stack, url, browser, release } = of
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {formatTime(at, site.timezone)} <span className="soft break">{url}</span>
      </summary>
      <div className="stack">
        <p className="break">{message}</p>
        {stack !== '' && <Code label={words.stack}>{stack}</Code>}
        <p className="row small">
          <span className="soft">{[browser, release].filter(Boolean).join(' · ')}</span>
          <Link href={way.to('receipts', { id: eventId })}>{eventText.quarantine.receipt}</Link>
          {isOpen && <WatchSession sessionId={sessionId} at={at} />}
        </p>
      </div>
    </details>
  )
}
