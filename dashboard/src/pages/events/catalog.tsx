import { type CatalogEvent, toSnakeCase } from '@assay/contract'
import { Link } from 'wouter'
import { useList } from '../../api/reads.ts'
import { now } from '../../clock.ts'
import { formatAgo, formatCount } from '../../format.ts'
import { LinkButton } from '../../kit/button.tsx'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { Select } from '../../kit/select.tsx'
import { ListTable } from '../../kit/table.tsx'
import { usePlace, useWay, type Way } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { eventText } from '../../text/events.ts'
import { text } from '../../text.ts'

const sources: readonly CatalogEvent['source'][] = ['standard', 'built_in', 'custom', 'observed']
const shown = ['all', 'review', ...sources] as const
type Shown = (typeof shown)[number]

/** All registered and observed events. */
export default function CatalogPage() {
  const { siteId, parameters } = usePlace()
  const way = useWay()
  const mayWrite = useMay('registry:write')
  const choice = shown.find((name) => name === parameters.get('show')) ?? 'all'
  const catalog = useList('getCatalog', (cursor) => ({
    query: { siteId, limit: 100, ...filterOf(choice), ...(cursor !== undefined && { cursor }) },
  }))
  return (
    <Page
      title={text.pages.catalog}
      lead={eventText.catalog.lead}
      acts={
        <>
          <LinkButton href={way.to('receipts')}>{eventText.catalog.findReceipt}</LinkButton>
          {mayWrite && (
            <LinkButton href={way.to('registry/new')} look="primary">
              {eventText.registry.create}
            </LinkButton>
          )}
        </>
      }
    >
      <Card>
        <div>
          <Select
            name={eventText.catalog.show}
            value={choice}
            choices={shown.map((value) => ({ value, label: eventText.catalog.shows[value] }))}
            onChange={(value) => way.go(way.here({ show: value === 'all' ? null : value }))}
          />
        </div>
        <ListTable
          of={catalog}
          caption={text.pages.catalog}
          keyOf={({ name, source }) => `${source} ${name}`}
          empty={{ title: eventText.catalog.empty }}
          columns={columnsFor(way)}
        />
      </Card>
    </Page>
  )
}

function filterOf(choice: Shown): { needsReview?: boolean; source?: (typeof sources)[number] } {
  if (choice === 'review') return { needsReview: true }
  const source = sources.find((name) => name === choice)
  return source === undefined ? {} : { source }
}

const columnsFor = (way: Way) => [
  {
    title: eventText.catalog.name,
    sortBy: ({ name }: CatalogEvent) => name,
    cell: (event: CatalogEvent) => (
      <div className="stack tight">
        <span className="row">
          <strong className="break">{event.name}</strong>
          {event.needsReview && <Badge kind="warn">{eventText.catalog.needsReview}</Badge>}
        </span>
        <span className="soft small">{event.description}</span>
      </div>
    ),
  },
  {
    title: eventText.catalog.source,
    cell: ({ source, category }: CatalogEvent) => (
      <div className="stack tight">
        {eventText.catalog.shows[source]}
        {category !== null && source !== 'built_in' && <span className="soft small">{category}</span>}
      </div>
    ),
  },
  {
    title: eventText.catalog.required,
    cell: ({ requiredProperties }: CatalogEvent) => (
      <span className="names">
        {requiredProperties.length === 0 && text.nothing}
        {requiredProperties.map(({ name }, place) => (
          <code key={name}>{place < requiredProperties.length - 1 ? `${name},` : name}</code>
        ))}
      </span>
    ),
  },
  {
    title: eventText.catalog.volume,
    kind: 'number' as const,
    sortBy: ({ volume }: CatalogEvent) => volume,
    cell: ({ volume }: CatalogEvent) => formatCount(volume),
  },
  {
    title: eventText.catalog.lastSeen,
    kind: 'number' as const,
    sortBy: ({ lastSeenAt }: CatalogEvent) => (lastSeenAt === null ? null : Date.parse(lastSeenAt)),
    cell: ({ lastSeenAt }: CatalogEvent) =>
      lastSeenAt === null ? text.time.never : formatAgo(lastSeenAt, now()),
  },
  {
    title: text.acts.act,
    kind: 'act' as const,
    cell: ({ name, source }: CatalogEvent) =>
      source === 'observed' ? (
        <Link href={way.to('registry/new', { key: toSnakeCase(name) })}>{eventText.catalog.review}</Link>
      ) : (
        <Link
          href={way.to(`registry/${name.replace('$', '')}`)}
          aria-label={eventText.catalog.contractOf(name)}
        >
          {eventText.catalog.contract}
        </Link>
      ),
  },
]
