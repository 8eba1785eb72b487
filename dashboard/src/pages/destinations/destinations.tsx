import type { Destination } from '@assay/contract'
import { useState } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { Code } from '../../kit/code.tsx'
import { Empty, NoPermission, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import type { PageProps } from '../../shell/page-props.ts'
import { useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { DestinationForm } from './destination-form.tsx'
import { DestinationPage } from './destination-page.tsx'
import { StateOf, sendsText } from './destination-state.tsx'

/** Where accepted events and notices go. */
export default function DestinationsPage({ rest }: PageProps) {
  const mayRead = useMay('webhooks:read')
  if (!mayRead) {
    return (
      <Page title={text.pages.destinations} lead={text.destinations.lead}>
        <Card>
          <NoPermission />
        </Card>
      </Page>
    )
  }
  return rest === '' ? <AllDestinations /> : <DestinationPage key={rest} id={rest} />
}

function AllDestinations() {
  const mayWrite = useMay('webhooks:write')
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<{ name: string; secret: string } | null>(null)
  const destinations = useRead('listDestinations', {}, { everyMs: 10_000 })
  const words = text.destinations
  return (
    <Page
      title={text.pages.destinations}
      lead={words.lead}
      acts={
        mayWrite && (
          <Button look="primary" aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
            {words.add}
          </Button>
        )
      }
    >
      {isAdding && (
        <Card title={words.add}>
          <DestinationForm
            onMade={(destination) => {
              setMade(destination)
              setAdding(false)
            }}
          />
        </Card>
      )}
      {made !== null && (
        <div className="note accept stack tight" role="status">
          <strong>{words.once}</strong>
          <Code label={`${words.secret}: ${made.name}`}>{made.secret}</Code>
        </div>
      )}
      <Card title={words.list}>
        <Shown
          of={destinations}
          empty={({ data }) =>
            data.length === 0 ? <Empty title={words.empty}>{words.emptyDetail}</Empty> : null
          }
        >
          {({ data }) => <Destinations of={data} />}
        </Shown>
      </Card>
    </Page>
  )
}

function Destinations({ of }: { of: readonly Destination[] }) {
  const way = useWay()
  const { sites } = useSession()
  const words = text.destinations
  return (
    <Table
      caption={words.list}
      rows={of}
      keyOf={({ id }) => id}
      columns={[
        {
          title: words.name,
          cell: ({ id, name, url }) => (
            <div className="stack tight">
              <Link href={way.to(`settings/destinations/${id}`)}>{name}</Link>
              <code className="soft small break">{url}</code>
            </div>
          ),
        },
        {
          title: words.sends,
          cell: (destination) => <span className="small break">{sendsText(destination)}</span>,
        },
        {
          title: words.site,
          cell: ({ site_id }) =>
            site_id === null ? words.everySite : (sites.find(({ id }) => id === site_id)?.name ?? site_id),
        },
        { title: words.state, cell: (destination) => <StateOf destination={destination} /> },
      ]}
    />
  )
}
