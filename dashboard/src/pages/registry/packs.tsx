import type { Output } from '@assay/contract'
import { useRead, useWrite } from '../../api/reads.ts'
import type { RouteOf } from '../../api/routes.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote, Shown } from '../../kit/states.tsx'
import { useMay } from '../../shell/session.ts'
import { eventText } from '../../text/events.ts'
import { text } from '../../text.ts'

type Pack = Output<RouteOf<'listPacks'>>['data'][number]

/** Contracts of whole lines of business, to begin with. */
export default function PacksPage() {
  const packs = useRead('listPacks', {})
  return (
    <Page title={text.pages.packs} lead={eventText.packs.lead}>
      <Shown of={packs}>
        {({ data }) => (
          <div className="columns even">
            {data.map((pack) => (
              <PackCard key={pack.key} pack={pack} />
            ))}
          </div>
        )}
      </Shown>
    </Page>
  )
}

function PackCard({ pack }: { pack: Pack }) {
  const mayWrite = useMay('registry:write')
  const trial = useWrite('installPack')
  const installing = useWrite('installPack', ['listContracts', 'getCatalog'])
  const say = useNotice()
  const params = { key: pack.key }
  const install = async () => {
    const done = await installing.send({ params, body: {} })
    if (done !== null) say(eventText.packs.installed(done.installed.length, done.skipped.length))
  }
  return (
    <Card title={pack.title}>
      <p>{pack.description}</p>
      <details>
        <summary>{eventText.packs.events(pack.events.length)}</summary>
        <ul className="list">
          {pack.events.map(({ key, description }) => (
            <li key={key}>
              <code>{key}</code> <span className="soft">{description}</span>
            </li>
          ))}
        </ul>
      </details>
      <ProblemNote error={trial.error ?? installing.error} />
      {trial.result !== null && (
        <p className="note" role="status">
          {eventText.packs.would(trial.result.installed.length, trial.result.skipped.length)}
        </p>
      )}
      {mayWrite && (
        <div className="row">
          <Button
            aria-label={eventText.packs.tryOf(pack.title)}
            onClick={() => void trial.send({ params, body: { dry_run: true } })}
          >
            {eventText.packs.tryOut}
          </Button>
          <Button
            aria-label={eventText.packs.installOf(pack.title)}
            disabled={installing.isSending}
            onClick={() => void install()}
          >
            {eventText.packs.install}
          </Button>
        </div>
      )}
    </Card>
  )
}
