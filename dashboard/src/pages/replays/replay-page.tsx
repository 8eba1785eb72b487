import type { SessionReplay } from '@assay/contract'
import { Link } from 'wouter'
import { useRead, useWrite } from '../../api/reads.ts'
import { formatDay, formatDuration, formatTime } from '../../format.ts'
import { Card, Facts, Page } from '../../kit/card.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { Shown } from '../../kit/states.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { watchText } from '../../text/watch.ts'
import { lengthOf, whoOf } from './replay-facts.ts'
import { Stage } from './stage.tsx'

/** So much before the moment that a link leads to: one wants to see how it came about. */
const beforeMs = 2_000

/** One recorded visit. `at` in the address is the moment to begin with. */
export function ReplayPage({ replayId }: { replayId: string }) {
  const way = useWay()
  const replay = useRead('getReplay', { params: { id: replayId } })
  return (
    <Page
      title={watchText.replays.one}
      back={{ href: way.to('replays'), title: watchText.replays.all }}
      acts={replay.data !== undefined && <Remove replayId={replayId} />}
    >
      <Shown of={replay} lines={6}>
        {(data) => <Film replay={data} />}
      </Shown>
    </Page>
  )
}

function Film({ replay }: { replay: SessionReplay }) {
  const { parameters } = usePlace()
  const { site } = useSession()
  const way = useWay()
  const words = watchText.replays
  const asked = Date.parse(parameters.get('at') ?? '')
  const startMs = Number.isNaN(asked) ? 0 : Math.max(0, asked - Date.parse(replay.started_at) - beforeMs)
  return (
    <div className="aside">
      <Card>
        <Stage replayId={replay.id} startMs={Math.min(startMs, lengthOf(replay))} />
      </Card>
      <Card title={words.facts}>
        <Facts
          of={[
            [words.started, formatTime(replay.started_at, site.timezone)],
            [words.length, formatDuration(lengthOf(replay))],
            [
              words.who,
              <Link key="who" className="break" href={way.to('people', { search: whoOf(replay) })}>
                {whoOf(replay)}
              </Link>,
            ],
            [
              words.session,
              <Link key="session" className="break" href={way.to('replays', { session: replay.session_id })}>
                {replay.session_id}
              </Link>,
            ],
            [words.expires, formatDay(replay.expires_at, site.timezone)],
          ]}
        />
        <p className="soft small">{words.masked}</p>
      </Card>
    </div>
  )
}

function Remove({ replayId }: { replayId: string }) {
  const mayWrite = useMay('identity:write')
  const removing = useWrite('deleteReplay', ['listReplays'])
  const way = useWay()
  const say = useNotice()
  const words = watchText.replays
  if (!mayWrite) return null
  const remove = async () => {
    if ((await removing.send({ params: { id: replayId } })) === null) return false
    say(words.removed)
    way.go(way.to('replays'))
    return true
  }
  return (
    <Confirm
      act={words.remove}
      title={words.removeTitle}
      error={removing.error}
      isSending={removing.isSending}
      onConfirm={remove}
    >
      <p>{words.removeMeans}</p>
    </Confirm>
  )
}
