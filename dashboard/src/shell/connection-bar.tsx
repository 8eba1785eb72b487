import { useQueryClient } from '@tanstack/react-query'
import { createCall } from '../api/client.ts'
import { useStanding } from '../api/connection.ts'
import { Button } from '../kit/button.tsx'
import { text } from '../text.ts'

/** Says that the server is away or the session has ended; the page behind it stays as it is, with what was typed. */
export function ConnectionBar() {
  const standing = useStanding()
  const queries = useQueryClient()
  if (standing === 'reached') return null
  const tryAgain = () =>
    createCall(null)('getSession', {}).then(
      () => void queries.invalidateQueries(),
      () => undefined,
    )
  if (standing === 'unreachable') {
    return (
      <div className="bar" role="alert">
        <strong>{text.states.unreachable.title}</strong>
        <span>{text.states.unreachable.waiting}</span>
        <Button isCompact onClick={() => void tryAgain()}>
          {text.states.retry}
        </Button>
      </div>
    )
  }
  return (
    <div className="bar" role="alert">
      <strong>{text.states.signedOut.title}</strong>
      <span>{text.states.signedOut.detail}</span>
      <a className="button compact" href="/sign-in" target="_blank" rel="noreferrer">
        {text.states.signedOut.signIn}
      </a>
      <Button isCompact onClick={() => void tryAgain()}>
        {text.states.signedOut.goOn}
      </Button>
    </div>
  )
}
