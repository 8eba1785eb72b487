import { isRecord } from '@assay/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { formatMinute } from '../format.ts'
import { text } from '../text.ts'
import { useWay } from './place.ts'
import { useSession } from './session.ts'

type Failing = { part: string; since: string }

const askAgainMs = 60_000
/** As the server calls it. */
const lettersPart = 'dead letters'

/** The server's own word on itself; it also says what fails when it answers that it is not ready. */
async function readFailing(): Promise<Failing[]> {
  const response = await fetch('/readyz')
  const answer: unknown = await response.json()
  const failing = isRecord(answer) && Array.isArray(answer.failing) ? answer.failing : []
  return failing.filter(isRecord).map(({ part, since }) => ({ part: String(part), since: String(since) }))
}

/** Says what does not work behind the pages: a number that is late should not pass for one that is right. */
export function FailingNote() {
  const { site } = useSession()
  const way = useWay()
  // A server out of reach is said by the connection bar.
  const { data } = useQuery({
    queryKey: ['failing'],
    queryFn: readFailing,
    refetchInterval: askAgainMs,
    retry: false,
  })
  if (data === undefined || data.length === 0) return null
  const others = data.filter(({ part }) => part !== lettersPart)
  const parts = others.map(({ part, since }) =>
    text.shell.failingPart(part, formatMinute(since, site.timezone)),
  )
  return (
    <div className="note warn" role="status">
      {parts.length > 0 && <p>{text.shell.failing(parts.join(', '))}</p>}
      {others.length < data.length && (
        <p>
          {text.shell.lettersWait} <Link href={way.to('dead-letters')}>{text.pages.deadLetters}</Link>
        </p>
      )}
    </div>
  )
}
