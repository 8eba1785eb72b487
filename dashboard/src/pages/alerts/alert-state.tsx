import type { Alert } from '@assay/contract'
import { now } from '../../clock.ts'
import { formatAgo } from '../../format.ts'
import { Badge } from '../../kit/card.tsx'
import { text } from '../../text.ts'

const looks = { ok: 'accept', firing: 'reject', unknown: '' } as const

/** Whether it fires, since when, and what keeps it from being judged. */
export function AlertState({ alert: { state, isPaused, openedAt, lastError } }: { alert: Alert }) {
  const words = text.alerts
  if (isPaused) return <Badge kind="warn">{words.paused}</Badge>
  return (
    <>
      <Badge kind={looks[state]}>{words.states[state]}</Badge>
      {state === 'firing' && openedAt !== null && (
        <span className="soft small"> {words.since(formatAgo(openedAt, now()))}</span>
      )}
      {lastError !== null && <p className="fault small">{lastError}</p>}
    </>
  )
}
