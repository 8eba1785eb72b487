import type { Person } from '@assay/contract'
import { useRead } from '../../api/reads.ts'
import { formatDay } from '../../format.ts'
import { LinkButton } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { peopleText } from '../../text/people.ts'
import { Confidence } from './confidence.tsx'
import { ConsentCard } from './consent-card.tsx'
import { identifierName } from './identifier-name.ts'
import { MergeCard } from './merge-card.tsx'
import { PersonHeader, personLabel } from './person-header.tsx'
import { Timeline } from './timeline.tsx'

/** Everything that is known of one person, and from where. */
export function PersonPage({ personId }: { personId: string }) {
  const way = useWay()
  const person = useRead('getPerson', { params: { id: personId } })
  const mayRequest = useMay('privacy:write')
  return (
    <Page
      title={person.data === undefined ? peopleText.people.person : personLabel(person.data)}
      back={{ href: way.to('people'), title: peopleText.people.back }}
      acts={
        mayRequest && (
          <LinkButton href={way.to('requests', { person: personId })}>{peopleText.people.request}</LinkButton>
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
  const mayWrite = useMay('identity:write')
  const mayReadConsent = useMay('consent:read')
  const words = peopleText.people
  return (
    <>
      <PersonHeader person={person} />
      <div className="aside">
        <div className="stack">
          {person.requested_id !== person.person_id && (
            <p className="note">{words.mergedInto(person.requested_id)}</p>
          )}
          <Timeline personId={person.person_id} />
        </div>
        <div className="stack">
          <Identifiers person={person} />
          {mayReadConsent && <ConsentCard personId={person.person_id} />}
          {mayWrite && <MergeCard personId={person.person_id} />}
        </div>
      </div>
    </>
  )
}

function Identifiers({ person }: { person: Person }) {
  const { site } = useSession()
  const words = peopleText.people
  return (
    <Card title={words.identifiers}>
      <p className="soft small">
        {words.personId} <code className="break">{person.person_id}</code>
      </p>
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
                  <span className="soft small">{identifierName(type)}</span>
                  <code className="break">{value}</code>
                </div>
              ),
            },
            { title: words.confidence, cell: ({ confidence }) => <Confidence of={confidence} /> },
            {
              title: words.tiedBy,
              cell: ({ source, first_seen_at }) => (
                <>
                  {source}, <span className="soft">{formatDay(first_seen_at, site.timezone)}</span>
                </>
              ),
            },
          ]}
        />
      )}
    </Card>
  )
}
