import { Link } from 'wouter'
import { useRead } from '../../api/reads.ts'
import { now } from '../../clock.ts'
import { formatAgo, formatCount } from '../../format.ts'
import { Card, Page } from '../../kit/card.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'
import { GateCard } from '../registry/gate-card.tsx'
import { Cause } from './cause.tsx'
import { QuarantineGroup } from './held-group.tsx'

/** Quarantined events by cause. */
export default function QuarantinePage() {
  const { parameters } = usePlace()
  const [event, code] = [parameters.get('event'), parameters.get('code')]
  if (event !== null) return <QuarantineGroup key={`${event} ${code}`} event={event} code={code} />
  return (
    <Page title={text.pages.quarantine} lead={text.quarantine.lead}>
      <Card title={text.quarantine.causes}>
        <Groups />
      </Card>
      <GateCard />
    </Page>
  )
}

function Groups() {
  const { siteId } = usePlace()
  const way = useWay()
  const counts = useRead('countQuarantined', { query: { site_id: siteId } })
  const words = text.quarantine
  return (
    <Shown
      of={counts}
      empty={({ groups }) =>
        groups.length === 0 ? <Empty title={words.empty}>{words.emptyDetail}</Empty> : null
      }
    >
      {({ groups }) => (
        <Table
          caption={words.causes}
          rows={groups}
          keyOf={({ name, code }) => `${name} ${code}`}
          columns={[
            {
              title: words.event,
              sortBy: ({ name }) => name,
              cell: ({ name, code }) => (
                <Link href={way.to('quarantine', { event: name, code })}>{name}</Link>
              ),
            },
            { title: words.cause, cell: ({ code }) => <Cause code={code} /> },
            {
              title: words.held,
              kind: 'number',
              sortBy: ({ held }) => held,
              cell: ({ held }) => formatCount(held),
            },
            {
              title: words.last,
              kind: 'number',
              sortBy: ({ last_received_at }) => Date.parse(last_received_at),
              cell: ({ last_received_at }) => formatAgo(last_received_at, now()),
            },
          ]}
        />
      )}
    </Shown>
  )
}
