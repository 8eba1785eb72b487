import { useEffect, useState } from 'react'
import { useRead, useRefresh, useWrite } from '../../api/reads.ts'
import { now } from '../../clock.ts'
import { formatAgo, formatCount } from '../../format.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { Code } from '../../kit/code.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Loading, NoPermission, ProblemNote } from '../../kit/states.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { CheckCard } from './check-card.tsx'
import { DemoCard } from './demo-card.tsx'
import { type WayName, ways, writeExample } from './examples.ts'

/** From nothing to the first event: a key, one of four ways to send, and the event itself as it arrives. */
export default function StartPage() {
  const mayMint = useMay('keys:write')
  const { siteId } = usePlace()
  const { site } = useSession()
  const [wayName, setWay] = useState<WayName>('snippet')
  const minting = useWrite('mintApiKey', ['listApiKeys'])
  const key = minting.result?.key ?? null
  const isServer = wayName === 'curl'
  const mint = () =>
    minting.send({
      body: isServer
        ? { kind: 'secret', name: text.start.secretKeyName, site_id: siteId, scopes: ['events:send'] }
        : { kind: 'public', name: text.start.publicKeyName, site_id: siteId },
    })
  return (
    <Page title={text.pages.start} lead={text.start.lead(site.domain)}>
      <ol className="steps">
        <li>
          <Card title={text.start.chooseWay}>
            <SelectField
              label={text.start.way}
              value={wayName}
              choices={ways.map((value) => ({ value, label: text.start.ways[value] }))}
              onChange={(value) => {
                setWay(value)
                minting.reset()
              }}
            />
            {mayMint ? (
              <div className="row">
                <Button look="primary" disabled={minting.isSending} onClick={() => void mint()}>
                  {isServer ? text.start.makeSecretKey : text.start.makePublicKey}
                </Button>
                <span className="soft small">{key === null ? text.start.keyHint : text.start.keyOnce}</span>
              </div>
            ) : (
              <NoPermission />
            )}
            <ProblemNote error={minting.error} />
          </Card>
        </li>
        <li>
          <Card title={text.start.putIn}>
            <Code label={text.start.ways[wayName]}>{writeExample(wayName, location.origin, key)}</Code>
            <p className="soft small">{text.start.hints[wayName]}</p>
          </Card>
        </li>
        <li>
          <FirstEvent />
        </li>
      </ol>
      <CheckCard />
      <DemoCard />
    </Page>
  )
}

/** Fast, because someone is waiting. */
const lookMs = 2_000

function FirstEvent() {
  const { siteId } = usePlace()
  const way = useWay()
  // A command line counts as a bot, and a first try is often one.
  const live = useRead('getLive', { query: { siteId, includeBots: true } }, { everyMs: lookMs })
  const catalog = useRead('getCatalog', { query: { siteId, limit: 200 } }, { everyMs: lookMs })
  const seen = (catalog.data?.data ?? []).filter(({ volume }) => volume > 0)
  const recent = live.data?.events ?? 0
  const isHere = recent > 0 || seen.length > 0
  const isKnown = live.data !== undefined && catalog.data !== undefined
  const refresh = useRefresh()
  // The overview may have been asked for a moment ago, when there was nothing.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first event is what this waits for
  useEffect(() => {
    if (isHere) refresh('getOverview', 'runQuery')
  }, [isHere])
  return (
    <Card title={text.start.waitFor}>
      <div role="status" className="stack tight">
        {!isKnown ? (
          <Loading lines={1} />
        ) : isHere ? (
          <Arrived recent={recent} seen={seen} />
        ) : (
          <p>
            <span className="pulse" aria-hidden="true" />
            {text.start.waiting}
          </p>
        )}
      </div>
      {isHere && (
        <div className="row">
          <LinkButton look="primary" href={way.to('overview')}>
            {text.start.toOverview}
          </LinkButton>
          <LinkButton href={way.to('events')}>{text.pages.catalog}</LinkButton>
        </div>
      )}
    </Card>
  )
}

/** Enough to see that the own ones are there. */
const namesMax = 6

type ArrivedProps = { recent: number; seen: readonly { name: string; lastSeenAt: string | null }[] }

/** Events of now, or when the last one came: old ones say nothing of what was set up just now. */
function Arrived({ recent, seen }: ArrivedProps) {
  const words = text.start
  const shown = seen.slice(0, namesMax).map(({ name }) => name)
  const names = [...shown, ...(seen.length > namesMax ? [text.chart.more(seen.length - namesMax)] : [])].join(
    ', ',
  )
  if (recent > 0) return <p className="note accept">{words.arrived(formatCount(recent), names)}</p>
  const times = seen.flatMap(({ lastSeenAt }) => lastSeenAt ?? []).toSorted()
  const last = times.at(-1)
  return (
    <>
      <p className="note">{words.cameLast(last === undefined ? null : formatAgo(last, now()), names)}</p>
      <p>
        <span className="pulse" aria-hidden="true" />
        {words.waitingForNext}
      </p>
    </>
  )
}
