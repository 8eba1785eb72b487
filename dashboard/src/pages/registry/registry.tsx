import type { Contract } from '@assay/contract'
import { useState } from 'react'
import { Link } from 'wouter'
import { useList } from '../../api/reads.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { Loading } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import type { PageProps } from '../../shell/page-props.ts'
import { usePlace, useWay, type Way } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
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
  const { parameters } = usePlace()
  const way = useWay()
  const mayWrite = useMay('registry:write')
  const wanted = parameters.get('q') ?? ''
  const [typed, setTyped] = useState(wanted)
  const contracts = useList('listContracts', (cursor) => ({
    query: { limit: 100, ...(wanted !== '' && { q: wanted }), ...(cursor !== undefined && { cursor }) },
  }))
  // Together with the proposals above it, so that it does not move when they come.
  const { isLoading } = useProposals()
  const submit = () => {
    way.go(way.here({ q: typed }))
  }
  return (
    <Page
      title={text.pages.registry}
      lead={text.registry.lead}
      acts={
        mayWrite && (
          <LinkButton href={way.to('registry/new')} look="primary">
            {text.registry.create}
          </LinkButton>
        )
      }
    >
      <GateCard />
      <Proposals />
      <Card>
        <Form className="form-row" onSubmit={submit} isSearch>
          <TextField label={text.registry.search} type="search" value={typed} onChange={setTyped} />
          <div>
            <Button type="submit">{text.registry.find}</Button>
          </div>
        </Form>
        {isLoading ? (
          <Loading lines={10} />
        ) : (
          <ListTable
            of={contracts}
            caption={text.pages.registry}
            keyOf={({ key }) => key}
            empty={{ title: text.registry.empty }}
            columns={columnsFor(way)}
          />
        )}
      </Card>
    </Page>
  )
}

const columnsFor = (way: Way) => [
  {
    title: text.registry.name,
    sortBy: ({ name }: Contract) => name,
    cell: ({ key, name, description }: Contract) => (
      <div className="stack tight">
        <Link href={way.to(`registry/${key}`)}>{name}</Link>
        <span className="soft small">{description}</span>
      </div>
    ),
  },
  { title: text.registry.status, cell: ({ status }: Contract) => <StatusBadge status={status} /> },
  { title: text.registry.version, cell: ({ version }: Contract) => <code>{version}</code> },
  { title: text.registry.source, cell: ({ source }: Contract) => text.catalog.shows[source] },
  {
    title: text.registry.properties,
    kind: 'number' as const,
    cell: ({ properties }: Contract) => Object.keys(properties).length,
  },
]
