import type { QuarantinedEvent, QuarantineFilter } from '@assay/contract'
import { useState } from 'react'
import { useList, useWrite } from '../../api/reads.ts'
import { formatTime } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ListTable } from '../../kit/table.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { eventText } from '../../text/events.ts'
import { text } from '../../text.ts'
import { Cause } from './cause.tsx'
import { Fixes } from './fixes.tsx'
import { quarantineReads } from './held-reads.ts'
import { QuarantinedSample } from './held-sample.tsx'

/** An event from the live view is in quarantine a moment later. */
const lookMs = 5_000

/** All quarantined events of one cause: what was sent, the fixes, and the release. */
export function QuarantineGroup({ event, code }: { event: string; code: string | null }) {
  const { siteId } = usePlace()
  const way = useWay()
  const mayWrite = useMay('registry:write')
  const filter: QuarantineFilter = { event, site_id: siteId, ...(code !== null && { code }) }
  const held = useList(
    'listQuarantined',
    (cursor) => ({
      query: { ...filter, state: 'held', limit: 20, ...(cursor !== undefined && { cursor }) },
    }),
    { everyMs: lookMs },
  )
  const [chosen, setChosen] = useState<string | null>(null)
  const first = held.data?.[0]
  const sampleId = chosen ?? first?.id ?? null
  return (
    <Page
      title={event}
      back={{ href: way.to('quarantine'), title: eventText.quarantine.back }}
      acts={mayWrite && first !== undefined ? <Discard filter={filter} /> : undefined}
    >
      {code !== null && <Cause code={code} />}
      {mayWrite && first !== undefined && <Fixes event={event} filter={filter} />}
      <div className={sampleId === null ? undefined : 'aside'}>
        <Card title={eventText.quarantine.quarantinedEvents}>
          <ListTable
            of={held}
            caption={eventText.quarantine.quarantinedEvents}
            keyOf={({ id }) => id}
            empty={{
              title: eventText.quarantine.nothingLeft,
              detail: eventText.quarantine.nothingLeftDetail,
            }}
            columns={useColumns(setChosen)}
          />
        </Card>
        {sampleId !== null && <QuarantinedSample key={sampleId} id={sampleId} />}
      </div>
    </Page>
  )
}

function useColumns(onChoose: (id: string) => void) {
  const { site } = useSession()
  return [
    {
      title: eventText.quarantine.eventId,
      cell: ({ id, event_id }: QuarantinedEvent) => (
        <button type="button" className="plain mono id" onClick={() => onChoose(id)}>
          {event_id}
        </button>
      ),
    },
    {
      title: eventText.quarantine.received,
      kind: 'time' as const,
      cell: ({ received_at }: QuarantinedEvent) => formatTime(received_at, site.timezone),
    },
    {
      title: eventText.quarantine.issue,
      cell: ({ issues }: QuarantinedEvent) => issues[0]?.message ?? text.nothing,
    },
  ]
}

function Discard({ filter }: { filter: QuarantineFilter }) {
  const trial = useWrite('discardQuarantined')
  const discarding = useWrite('discardQuarantined', quarantineReads)
  const say = useNotice()
  const confirm = async () => {
    const done = await discarding.send({ body: { filter } })
    if (done !== null) say(eventText.quarantine.discarded(done.discarded))
    return done !== null
  }
  return (
    <Confirm
      act={eventText.quarantine.discardAll}
      title={eventText.quarantine.discardTitle}
      onConfirm={confirm}
      error={discarding.error ?? trial.error}
      isSending={discarding.isSending}
    >
      <p>{eventText.quarantine.discardMeans}</p>
      <div className="row">
        <Button onClick={() => void trial.send({ body: { filter, dry_run: true } })}>
          {eventText.quarantine.howMany}
        </Button>
        {trial.result !== null && (
          <span role="status">{eventText.quarantine.matched(trial.result.matched)}</span>
        )}
      </div>
    </Confirm>
  )
}
