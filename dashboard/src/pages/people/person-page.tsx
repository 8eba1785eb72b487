import type { Person } from '@assay/contract'
import { Link } from 'wouter'
import { useRead } from '../../api/reads.ts'
import { formatCount, formatDay, formatTime } from '../../format.ts'
import { LinkButton } from '../../kit/button.tsx'
import { Card, Facts, Page } from '../../kit/card.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { Confidence } from './confidence.tsx'
import { ConsentCard } from './consent-card.tsx'
import { MergeCard } from './merge-card.tsx'
import { Timeline } from './timeline.tsx'

/** Everything that is known of one person, and from where. */
export function PersonPage({ personId }: { personId: string }) {
  const way = useWay()
  const person = useRead('getPerson', { params: { id: personId } })
  const name = person.data?.traits.name
  const mayRequest = useMay('privacy:write')
  return (
    <Page
      title={typeof name === 'string' && name !== '' ? name : text.people.person}
      lead={<Link href={way.to('people')}>{text.people.back}</Link>}
      acts={
        mayRequest && (
          <LinkButton href={way.to('requests', { person: personId })}>{text.people.request}</LinkButton>
        )
      }
    >
      <Shown of={person} lines={8}>
        {(data) => <Profile person={data} />}
      </Shown>
    </Page>
  )
}

function Profile({ person }: { person: Person }) {
  const { site } = useSession()
  const mayWrite = useMay('identity:write')
  const mayReadConsent = useMay('consent:read')
  const words = text.people
  const time = (value: string | null) => (value === null ? null : formatTime(value, site.timezone))
  return (
    <div className="aside">
      <div className="stack">
        {person.requested_id !== person.person_id && (
          <p className="note">{words.mergedInto(person.requested_id)}</p>
        )}
        <Timeline personId={person.person_id} />
      </div>
      <div className="stack">
        <Card title={words.profile}>
          <Facts
            of={[
              [words.person, <code key="id">{person.person_id}</code>],
              [words.firstSeen, time(person.first_seen_at)],
              [words.lastSeen, time(person.last_seen_at)],
              [words.events, formatCount(person.events)],
              ...Object.entries(person.traits).map(([name, value]) => [name, traitText(value)] as const),
            ]}
          />
        </Card>
        <Identifiers person={person} />
        {mayReadConsent && <ConsentCard personId={person.person_id} />}
        {mayWrite && <MergeCard personId={person.person_id} />}
      </div>
    </div>
  )
}

const traitText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function Identifiers({ person }: { person: Person }) {
  const words = text.people
  return (
    <Card title={words.identifiers}>
      {person.identifiers.length === 0 ? (
        <Empty title={words.noIdentifiers} />
      ) : (
        <Table
          caption={words.identifiers}
          rows={person.identifiers}
          keyOf={({ type, value }) => `${type} ${value}`}
          columns={[
            {
              title: words.identifier,
              cell: ({ type, value }) => (
                <div className="stack tight">
                  <span className="soft small">{type}</span>
                  <code className="break">{value}</code>
                </div>
              ),
            },
            { title: words.confidence, cell: ({ confidence }) => <Confidence of={confidence} /> },
            {
              title: words.tiedBy,
              cell: ({ source, first_seen_at }) => (
                <>
                  {source}, <span className="soft">{formatDay(first_seen_at)}</span>
                </>
              ),
            },
          ]}
        />
      )}
    </Card>
  )
}
