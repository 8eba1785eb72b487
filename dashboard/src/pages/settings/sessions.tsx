import type { Session } from '@assay/contract'
import { useList, useWrite } from '../../api/reads.ts'
import { now } from '../../clock.ts'
import { countryName, formatAgo, formatDay } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import { useSession } from '../../shell/session.ts'
import { workspaceText } from '../../text/workspace.ts'
import { text } from '../../text.ts'

/** Where I am signed in. */
export default function SessionsPage() {
  const { site } = useSession()
  const sessions = useList('listSessions', (cursor) => ({
    query: { limit: 50, ...(cursor !== undefined && { cursor }) },
  }))
  const words = workspaceText.sessions
  return (
    <Page title={text.pages.sessions} lead={words.lead} acts={<EndAll />}>
      <Card>
        <ListTable
          of={sessions}
          caption={text.pages.sessions}
          keyOf={({ id }) => id}
          empty={{ title: words.empty }}
          columns={[
            {
              title: words.device,
              cell: ({ device, current }) => (
                <span className="row">
                  {device || words.unknown}
                  {current && <Badge kind="accept">{words.current}</Badge>}
                </span>
              ),
            },
            { title: words.country, cell: ({ country }) => countryName(country) || words.unknown },
            { title: words.method, cell: ({ method }) => words.methods[method] },
            {
              title: words.begun,
              kind: 'time',
              cell: ({ created_at }) => formatDay(created_at, site.timezone),
            },
            {
              title: words.lastUsed,
              kind: 'time',
              cell: ({ last_used_at }) => formatAgo(last_used_at, now()),
            },
            {
              title: text.acts.act,
              kind: 'act',
              cell: (session) => (session.current ? null : <End session={session} />),
            },
          ]}
        />
      </Card>
    </Page>
  )
}

function End({ session }: { session: Session }) {
  const ending = useWrite('revokeSession', ['listSessions'])
  const say = useNotice()
  const end = async () => {
    if (await ending.send({ body: { session_id: session.id } })) say(workspaceText.sessions.ended)
  }
  return (
    <>
      <Button
        isCompact
        aria-label={`${workspaceText.sessions.end}: ${session.device}`}
        onClick={() => void end()}
      >
        {workspaceText.sessions.end}
      </Button>
      <ProblemNote error={ending.error} />
    </>
  )
}

function EndAll() {
  const ending = useWrite('revokeSession')
  const confirm = async () => {
    const done = await ending.send({ body: { all: true } })
    if (done !== null) location.assign('/sign-in')
    return done !== null
  }
  return (
    <Confirm
      act={workspaceText.sessions.endAll}
      title={workspaceText.sessions.endAll}
      onConfirm={confirm}
      error={ending.error}
      isSending={ending.isSending}
    >
      <p>{workspaceText.sessions.endAllMeans}</p>
    </Confirm>
  )
}
