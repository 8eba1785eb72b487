import { consentCategories, type Person } from '@assay/contract'
import type { ReactNode } from 'react'
import { now } from '../../clock.ts'
import { formatAgo, formatCount, formatTime } from '../../format.ts'
import { Badge, Card } from '../../kit/card.tsx'
import { useSession } from '../../shell/session.ts'
import { peopleText } from '../../text/people.ts'
import { text } from '../../text.ts'

const written = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** The name or address of a person, or else an identifier. */
export function personLabel({
  traits,
  identifiers,
}: Pick<Person, 'traits'> & { identifiers: readonly { value: string }[] }): string {
  const named = [traits.name, traits.email].find((value) => typeof value === 'string' && value !== '')
  return typeof named === 'string' ? named : (identifiers[0]?.value ?? peopleText.people.person)
}

/** Who this is at a glance: times, sites, consent, traits. */
export function PersonHeader({ person }: { person: Person }) {
  const { site, sites } = useSession()
  const words = peopleText.people
  const time = (value: string | null) =>
    value === null ? (
      text.nothing
    ) : (
      <span title={formatTime(value, site.timezone)}>{formatAgo(value, now())}</span>
    )
  const siteNames = person.site_ids.map((id) => sites.find((one) => one.id === id)?.name ?? id)
  const traits = Object.entries(person.traits)
  return (
    <Card>
      <dl className="person-facts">
        <Fact name={words.firstSeen}>{time(person.first_seen_at)}</Fact>
        <Fact name={words.lastSeen}>{time(person.last_seen_at)}</Fact>
        <Fact name={words.events}>{formatCount(person.events)}</Fact>
        <Fact name={words.sites}>{siteNames.join(', ') || text.nothing}</Fact>
        <Fact name={peopleText.consent.title}>
          <ConsentSummary person={person} />
        </Fact>
        {traits.map(([name, value]) => (
          <Fact key={name} name={name}>
            {written(value)}
          </Fact>
        ))}
      </dl>
    </Card>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="break">{children}</dd>
    </div>
  )
}

/** By the regime of the site that is looked at. */
function ConsentSummary({ person }: { person: Person }) {
  const { site } = useSession()
  const regime = site.consentRegime
  if (regime === null) return <>{peopleText.people.noConsent}</>
  const categories = person.consent.regimes[regime]
  const granted = consentCategories.filter((category) => categories[category] === 'granted').length
  const isAll = granted === consentCategories.length
  return (
    <Badge kind={isAll ? 'accept' : granted === 0 ? 'reject' : 'warn'}>
      {peopleText.people.consented(granted, consentCategories.length)}
    </Badge>
  )
}
