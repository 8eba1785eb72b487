import { Link } from 'wouter'
import { useList } from '../../api/reads.ts'
import { formatCount, formatDuration, formatMinute } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { NoPermission } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import type { PageProps } from '../../shell/page-props.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { watchText } from '../../text/watch.ts'
import { text } from '../../text.ts'
import { lengthOf, whoOf } from './replay-facts.ts'
import { ReplayPage } from './replay-page.tsx'

const replaysPerPage = 30

/** Session replays. Watching them needs the same scope as reading people. */
export default function ReplaysPage({ rest }: PageProps) {
  const mayRead = useMay('identity:read')
  if (!mayRead) {
    return (
      <Page title={text.pages.replays}>
        <Card>
          <NoPermission />
        </Card>
      </Page>
    )
  }
  return rest === '' ? <RecordedList /> : <ReplayPage key={rest} replayId={rest} />
}

function RecordedList() {
  const { siteId, parameters } = usePlace()
  const { site } = useSession()
  const way = useWay()
  const session = parameters.get('session')
  const replays = useList('listReplays', (cursor) => ({
    query: {
      site_id: siteId,
      limit: replaysPerPage,
      ...(session !== null && { session_id: session }),
      ...(cursor !== undefined && { cursor }),
    },
  }))
  const words = watchText.replays
  return (
    <Page title={text.pages.replays} lead={words.lead}>
      {session !== null && (
        <div className="row">
          <span>
            {words.ofSession} <code className="break">{session}</code>
          </span>
          <Button isCompact onClick={() => way.go(way.here({ session: null }))}>
            {words.all}
          </Button>
        </div>
      )}
      <Card>
        <ListTable
          of={replays}
          caption={text.pages.replays}
          keyOf={({ id }) => id}
          empty={{ title: words.empty, detail: words.emptyDetail }}
          columns={[
            {
              title: words.started,
              cell: ({ id, started_at }) => (
                <Link href={way.to(`replays/${id}`)}>{formatMinute(started_at, site.timezone)}</Link>
              ),
            },
            {
              title: words.length,
              kind: 'number',
              phone: 'end',
              cell: (replay) => formatDuration(lengthOf(replay)),
            },
            { title: words.who, cell: (replay) => <code className="break">{whoOf(replay)}</code> },
            { title: words.events, kind: 'number', cell: ({ events }) => formatCount(events) },
          ]}
        />
      </Card>
    </Page>
  )
}
