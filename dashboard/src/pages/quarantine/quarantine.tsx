import type { Output } from '@assay/contract'
import { Link } from 'wouter'
import { useRead } from '../../api/reads.ts'
import type { RouteOf } from '../../api/routes.ts'
import { now } from '../../clock.ts'
import { formatAgo, formatCount } from '../../format.ts'
import { Card, Page } from '../../kit/card.tsx'
import { Select } from '../../kit/select.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { hrefOf, usePlace, useWay } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { eventText } from '../../text/events.ts'
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
    <Page title={text.pages.quarantine} lead={eventText.quarantine.lead}>
      <Card title={eventText.quarantine.causes} act={<SiteChoice />}>
        <Groups />
      </Card>
      <GateCard />
    </Page>
  )
}

const allSites = 'all'

/** Of one site, or of all that the workspace has. */
function SiteChoice() {
  const { sites, site } = useSession()
  const { parameters } = usePlace()
  const way = useWay()
  if (sites.length < 2) return null
  return (
    <Select
      name={eventText.quarantine.sites}
      value={parameters.get('sites') ?? site.id}
      choices={[
        { value: site.id, label: site.name },
        { value: allSites, label: eventText.quarantine.allSites },
      ]}
      onChange={(value) => way.go(way.here({ sites: value === allSites ? value : null }))}
    />
  )
}

type Group = Output<RouteOf<'countQuarantined'>>['groups'][number]

function Groups() {
  const { siteId, parameters } = usePlace()
  const isOfAll = parameters.get('sites') === allSites
  const counts = useRead('countQuarantined', { query: isOfAll ? {} : { site_id: siteId } })
  const columns = useColumns(isOfAll)
  const words = eventText.quarantine
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
          keyOf={({ site_id, name, code }) => `${site_id} ${name} ${code}`}
          columns={columns}
        />
      )}
    </Shown>
  )
}

/** A group is always opened on its own site, so that a release is of that site alone. */
function useColumns(isOfAll: boolean): Column<Group>[] {
  const place = usePlace()
  const { sites } = useSession()
  const words = eventText.quarantine
  const siteName = (id: string) => sites.find((site) => site.id === id)?.name ?? id
  const hrefOfGroup = ({ site_id, name, code }: Group) =>
    hrefOf({ ...place, siteId: site_id }, 'quarantine', new URLSearchParams({ event: name, code }).toString())
  return [
    {
      title: words.event,
      sortBy: ({ name }) => name,
      cell: (group) => <Link href={hrefOfGroup(group)}>{group.name}</Link>,
    },
    ...(isOfAll
      ? [
          {
            title: words.site,
            sortBy: ({ site_id }: Group) => siteName(site_id),
            cell: ({ site_id }: Group) => siteName(site_id),
          },
        ]
      : []),
    { title: words.cause, cell: ({ code }) => <Cause code={code} /> },
    { title: words.examples, cell: ({ examples }) => <Examples of={examples} /> },
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
  ]
}

/** The properties at fault, each with some of the values that were sent. */
function Examples({ of }: { of: Group['examples'] }) {
  if (of.length === 0) return <>{text.nothing}</>
  return (
    <div className="stack tight">
      {of.map(({ property, values }) => (
        <span key={property} className="small break">
          <code>{property}</code>: {values.length === 0 ? eventText.quarantine.missing : values.join(', ')}
        </span>
      ))}
    </div>
  )
}
