import type { Demo } from '@assay/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useRead, useWrite } from '../../api/reads.ts'
import { formatCount } from '../../format.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Card, Progress } from '../../kit/card.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote, Shown } from '../../kit/states.tsx'
import { hrefOf } from '../../shell/place.ts'
import { text } from '../../text.ts'

/** Fast, because someone is waiting. */
const lookMs = 1_500

/** A workspace of its own with made-up traffic, there with one click and gone with another. */
export function DemoCard() {
  const demo = useRead(
    'getDemo',
    {},
    { everyMs: (data) => (data?.demo == null || data.demo.status === 'ready' ? false : lookMs) },
  )
  return (
    <Card title={text.demo.title}>
      <p className="soft">{text.demo.means}</p>
      <Shown of={demo} lines={1}>
        {({ demo: found }) => (found === null ? <NoDemo /> : <SomeDemo demo={found} />)}
      </Shown>
    </Card>
  )
}

/** The session contains the user's workspaces. */
function useSessionAgain(): () => void {
  const queries = useQueryClient()
  return () => void queries.invalidateQueries({ queryKey: ['session'] })
}

function NoDemo() {
  const starting = useWrite('startDemo', ['getDemo'])
  const again = useSessionAgain()
  const start = async () => {
    if ((await starting.send({})) !== null) again()
  }
  return (
    <div className="stack tight">
      <div>
        <Button disabled={starting.isSending} onClick={() => void start()}>
          {text.demo.start}
        </Button>
      </div>
      <ProblemNote error={starting.error} />
    </div>
  )
}

function SomeDemo({ demo }: { demo: Demo }) {
  const { status, progress, events } = demo
  const words = text.demo
  if (status === 'removing') return <p role="status">{words.removing}</p>
  const href = hrefOf({ workspaceId: demo.workspace_id, siteId: demo.site_id }, 'overview')
  return (
    <div className="stack">
      <div role="status" className="stack tight">
        {status === 'filling' && <Progress label={words.progress} share={progress} />}
        <span>
          {status === 'filling' ? words.filling(formatCount(events)) : words.ready(formatCount(events))}
        </span>
      </div>
      <div className="row">
        <LinkButton look={status === 'ready' ? 'primary' : 'usual'} href={href}>
          {words.open}
        </LinkButton>
        <RemoveDemo />
      </div>
    </div>
  )
}

function RemoveDemo() {
  const removing = useWrite('removeDemo', ['getDemo'])
  const again = useSessionAgain()
  const say = useNotice()
  const remove = async () => {
    const isDone = (await removing.send({})) !== null
    if (isDone) {
      say(text.demo.removing)
      again()
    }
    return isDone
  }
  return (
    <Confirm
      act={text.demo.remove}
      title={text.demo.removeTitle}
      onConfirm={remove}
      error={removing.error}
      isSending={removing.isSending}
    >
      <p>{text.demo.removeMeans}</p>
    </Confirm>
  )
}
