import type { Alert } from '@assay/contract'
import { formatMinute } from '../../format.ts'
import { Badge } from '../../kit/card.tsx'
import { useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'

const looks = { ok: 'accept', firing: 'reject', unknown: '' } as const

/** Whether it fires, since when, and what keeps it from being judged. */
export function AlertState({ alert: { state, isPaused, openedAt, lastError } }: { alert: Alert }) {
  const { site } = useSession()
  const words = text.alerts
  if (isPaused) return <Badge kind="warn">{words.paused}</Badge>
  return (
    <>
      <Badge kind={looks[state]}>{words.states[state]}</Badge>
      {state === 'firing' && openedAt !== null && (
        <span className="soft small"> {words.since(formatMinute(openedAt, site.timezone))}</span>
      )}
      {lastError !== null && <p className="fault small">{lastError}</p>}
    </>
  )
}
