import type { Output, PropertyRule } from '@assay/contract'
import { useState } from 'react'
import { Link } from 'wouter'
import { useRead, useWrite } from '../../api/reads.ts'
import type { RouteOf } from '../../api/routes.ts'
import { formatDay } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Facts, Page } from '../../kit/card.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { eventText } from '../../text/events.ts'
import { peopleText } from '../../text/people.ts'
import { watchText } from '../../text/watch.ts'
import { text } from '../../text.ts'
import { draftOf } from './draft.ts'
import { Editor } from './editor.tsx'
import { limitsText } from './limits.ts'
import { StatusBadge } from './status-badge.tsx'

type Read = Output<RouteOf<'getContract'>>
const refreshed = [
  'getContract',
  'listContracts',
  'getCatalog',
  'countQuarantined',
  'listQuarantined',
] as const

export function ContractPage({ contractKey }: { contractKey: string }) {
  const { parameters } = usePlace()
  const version = parameters.get('version')
  const contract = useRead('getContract', {
    params: { key: contractKey },
    query: version === null ? {} : { version },
  })
  const way = useWay()
  return (
    <Page
      title={contract.data?.name ?? contractKey}
      lead={contract.data?.description}
      back={{ href: way.to('registry'), title: text.pages.registry }}
    >
      <Shown of={contract}>{(data) => <Whole key={data.version} contract={data} />}</Shown>
    </Page>
  )
}

function Whole({ contract }: { contract: Read }) {
  const [isEditing, setEditing] = useState(false)
  const mayWrite = useMay('registry:write') && contract.source === 'custom'
  if (isEditing) return <Editor initial={draftOf(contract)} />
  return (
    <div className="aside">
      <div className="stack">
        <Card title={eventText.registry.properties}>
          <Properties properties={contract.properties} />
        </Card>
      </div>
      <div className="stack">
        <Card title={eventText.registry.contract}>
          <Facts
            of={[
              [eventText.registry.status, <StatusBadge key="status" status={contract.status} />],
              [eventText.registry.version, <code key="version">{contract.version}</code>],
              [eventText.registry.source, eventText.catalog.shows[contract.source]],
              [eventText.registry.additional, eventText.registry.additionals[contract.additional]],
              [eventText.registry.purpose, peopleText.consent.categories[contract.purpose]],
              [
                eventText.registry.surfaces,
                contract.surfaces.map((surface) => watchText.eventHealth.surfaces[surface]).join(', '),
              ],
              [eventText.registry.replacedBy, contract.replaced_by],
            ]}
          />
          {mayWrite && (
            <div className="row">
              <Button look="primary" onClick={() => setEditing(true)}>
                {eventText.registry.newVersion}
              </Button>
              <Acts contract={contract} />
            </div>
          )}
        </Card>
        <Versions contract={contract} />
      </div>
    </div>
  )
}

function Acts({ contract }: { contract: Read }) {
  const publishing = useWrite('publishContract', refreshed)
  const deprecating = useWrite('deprecateContract', refreshed)
  const archiving = useWrite('archiveContract', refreshed)
  const say = useNotice()
  const { siteId } = usePlace()
  const params = { key: contract.key }
  const publish = async () => {
    const made = await publishing.send({
      params,
      body: { version: contract.version, release: true, site_id: siteId },
    })
    if (made !== null) say(eventText.registry.saved(made.version, made.held.released))
  }
  const act = contract.status === 'published' ? deprecating : archiving
  const send = async () =>
    contract.status === 'published'
      ? (await deprecating.send({ params, body: {} })) !== null
      : (await archiving.send({ params })) !== null
  const word = contract.status === 'published' ? eventText.registry.deprecate : eventText.registry.archive
  return (
    <>
      {contract.status === 'draft' && (
        <Button disabled={publishing.isSending} onClick={() => void publish()}>
          {eventText.registry.publish}
        </Button>
      )}
      {contract.status !== 'archived' && (
        <Confirm act={word} title={`${word}: ${contract.name}`} onConfirm={send} {...act}>
          <p>
            {contract.status === 'published'
              ? eventText.registry.deprecateMeans
              : eventText.registry.archiveMeans}
          </p>
        </Confirm>
      )}
      <ProblemNote error={publishing.error} />
    </>
  )
}

function Versions({ contract }: { contract: Read }) {
  const { site } = useSession()
  const way = useWay()
  if (contract.versions.length === 0) return null
  return (
    <Card title={eventText.registry.versions}>
      <Table
        caption={eventText.registry.versions}
        rows={contract.versions}
        keyOf={({ version }) => version}
        columns={[
          {
            title: eventText.registry.version,
            cell: ({ version }) => <Link href={way.here({ version })}>{version}</Link>,
          },
          { title: eventText.registry.status, cell: ({ status }) => <StatusBadge status={status} /> },
          {
            title: eventText.registry.since,
            cell: ({ created_at }) =>
              created_at === null ? text.nothing : formatDay(created_at, site.timezone),
          },
        ]}
      />
    </Card>
  )
}

function Properties({ properties }: { properties: Readonly<Record<string, PropertyRule>> }) {
  return (
    <Table
      caption={eventText.registry.properties}
      rows={Object.entries(properties)}
      keyOf={([name]) => name}
      columns={[
        { title: eventText.registry.name, cell: ([name]) => <code>{name}</code> },
        { title: eventText.registry.type, cell: ([, rule]) => eventText.registry.types[rule.type] },
        {
          title: eventText.registry.required,
          cell: ([, rule]) => (rule.required ? eventText.receipts.yes : eventText.receipts.no),
        },
        { title: eventText.registry.limits, cell: ([, rule]) => limitsText(rule) || text.nothing },
        { title: eventText.registry.description, cell: ([, rule]) => rule.description ?? text.nothing },
      ]}
    />
  )
}
