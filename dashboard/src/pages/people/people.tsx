import type { ListedPerson } from '@assay/contract'
import { Link } from 'wouter'
import { useList } from '../../api/reads.ts'
import { now } from '../../clock.ts'
import { formatAgo, formatCount, formatDay } from '../../format.ts'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { NoPermission } from '../../kit/states.tsx'
import { type Column, ListTable } from '../../kit/table.tsx'
import { ListSearch, useListSearch } from '../../reports/list-search.tsx'
import type { PageProps } from '../../shell/page-props.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { peopleText } from '../../text/people.ts'
import { text } from '../../text.ts'
import { identifierName } from './identifier-name.ts'
import { personLabel } from './person-header.tsx'
import { PersonPage } from './person-page.tsx'

/** Traits that most sites send; a person's page has all of them. */
const columns = ['name', 'email', 'plan']
const rowsMax = 50

/** People, last seen first, found by anything that is known of them. */
export default function PeoplePage({ rest }: PageProps) {
  const mayRead = useMay('identity:read')
  if (!mayRead) {
    return (
      <Page title={text.pages.people}>
        <Card>
          <NoPermission />
        </Card>
      </Page>
    )
  }
  return rest === '' ? <PeopleList /> : <PersonPage key={rest} personId={rest} />
}

function PeopleList() {
  const { siteId } = usePlace()
  const search = useListSearch().trim()
  const people = useList('listPeople', (cursor) => ({
    query: {
      // An identifier finds its person on whatever site they were.
      ...(search === '' ? { site_id: siteId } : { search }),
      columns: columns.join(','),
      limit: rowsMax,
      ...(cursor !== undefined && { cursor }),
    },
  }))
  return (
    <Page title={text.pages.people} lead={peopleText.people.lead}>
      <Card>
        <ListSearch label={peopleText.people.search} hint={peopleText.people.searchHint} />
        <ListTable
          of={people}
          caption={text.pages.people}
          columns={useColumns()}
          keyOf={({ person_id }) => person_id}
          empty={{
            title: search === '' ? peopleText.people.empty : peopleText.people.nobody,
            detail: search === '' ? peopleText.people.emptyDetail : peopleText.people.nobodyDetail,
          }}
        />
      </Card>
    </Page>
  )
}

function useColumns(): Column<ListedPerson>[] {
  const way = useWay()
  const { site } = useSession()
  const words = peopleText.people
  return [
    {
      title: words.person,
      cell: (person) => (
        <Link href={way.to(`people/${person.person_id}`)} className="id middle">
          {personLabel(person)}
        </Link>
      ),
    },
    {
      title: words.identifiers,
      phone: 'bare',
      cell: ({ identifiers }) => (
        <span className="row">
          {identifiers.slice(0, 2).map(({ type, value }) => (
            <span key={`${type} ${value}`} className="id wide">
              <Badge>{identifierName(type)}</Badge> {value}
            </span>
          ))}
        </span>
      ),
    },
    {
      title: words.firstSeen,
      kind: 'time',
      cell: ({ first_seen_at: at }) => (at === null ? text.nothing : formatDay(at, site.timezone)),
    },
    {
      title: words.lastSeen,
      kind: 'time',
      phone: 'end',
      cell: ({ last_seen_at: at }) => (at === null ? text.nothing : formatAgo(at, now())),
    },
    { title: words.events, kind: 'number', cell: ({ events }) => formatCount(events) },
  ]
}
