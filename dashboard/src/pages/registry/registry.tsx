import type { Contract } from '@assay/contract'
import { Link } from 'wouter'
import { useList } from '../../api/reads.ts'
import { LinkButton } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { Loading } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import { ListSearch, useListSearch } from '../../reports/list-search.tsx'
import type { PageProps } from '../../shell/page-props.ts'
import { useWay, type Way } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { eventText } from '../../text/events.ts'
import { text } from '../../text.ts'
import { ContractPage } from './contract-page.tsx'
import { GateCard } from './gate-card.tsx'
import { NewContract } from './new-contract.tsx'
import { Proposals, useProposals } from './proposals.tsx'
import { StatusBadge } from './status-badge.tsx'

/** The contracts by which events are judged. */
export default function RegistryPage({ rest }: PageProps) {
  if (rest === 'new') return <NewContract />
  return rest === '' ? <ContractList /> : <ContractPage key={rest} contractKey={rest} />
}

function ContractList() {
  const way = useWay()
  const mayWrite = useMay('registry:write')
  const search = useListSearch().trim()
  const contracts = useList('listContracts', (cursor) => ({
    query: { limit: 100, ...(search !== '' && { q: search }), ...(cursor !== undefined && { cursor }) },
  }))
  // Together with the proposals above it, so that it does not move when they come.
  const { isLoading } = useProposals()
  return (
    <Page
      title={text.pages.registry}
      lead={eventText.registry.lead}
      acts={
        mayWrite && (
          <LinkButton href={way.to('registry/new')} look="primary">
            {eventText.registry.create}
          </LinkButton>
        )
      }
    >
      <GateCard />
      <Proposals />
      <Card>
        <ListSearch label={eventText.registry.search} />
        {isLoading ? (
          <Loading lines={10} />
        ) : (
          <ListTable
            of={contracts}
            caption={text.pages.registry}
            keyOf={({ key }) => key}
            empty={{ title: eventText.registry.empty }}
            columns={columnsFor(way)}
          />
        )}
      </Card>
    </Page>
  )
}

const columnsFor = (way: Way) => [
  {
    title: eventText.registry.name,
    sortBy: ({ name }: Contract) => name,
    cell: ({ key, name, description }: Contract) => (
      <div className="stack tight">
        <Link href={way.to(`registry/${key}`)}>{name}</Link>
        <span className="soft small">{description}</span>
      </div>
    ),
  },
  {
    title: eventText.registry.status,
    phone: 'end' as const,
    cell: ({ status }: Contract) => <StatusBadge status={status} />,
  },
  { title: eventText.registry.version, cell: ({ version }: Contract) => <code>{version}</code> },
  { title: eventText.registry.source, cell: ({ source }: Contract) => eventText.catalog.shows[source] },
  {
    title: eventText.registry.properties,
    kind: 'number' as const,
    cell: ({ properties }: Contract) => Object.keys(properties).length,
  },
]
