import { consentCategories } from '@assay/contract'
import { useList, useRead } from '../../api/reads.ts'
import { formatTime } from '../../format.ts'
import { Badge, Card } from '../../kit/card.tsx'
import { Shown } from '../../kit/states.tsx'
import { usePlace } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { peopleText } from '../../text/people.ts'

/** The current consent of a person, and its history. */
export function ConsentCard({ personId }: { personId: string }) {
  const { siteId } = usePlace()
  const consent = useRead('getConsent', { params: { personId }, query: { site_id: siteId } })
  return (
    <Card title={peopleText.consent.title}>
      <Shown of={consent}>
        {({ categories, regime, record, expired }) => (
          <div className="stack">
            <p className="soft small">
              {regime === null
                ? peopleText.consent.noRegime
                : peopleText.consent.under(peopleText.consent.regimes[regime])}{' '}
              {record === null ? peopleText.consent.byDefault : expired ? peopleText.consent.expired : ''}
            </p>
            <ul className="bars">
              {consentCategories.map((category) => (
                <li key={category}>
                  <span className="key">{peopleText.consent.categories[category]}</span>
                  <Badge kind={categories[category] === 'granted' ? 'accept' : 'reject'}>
                    {peopleText.consent.choices[categories[category]]}
                  </Badge>
                </li>
              ))}
            </ul>
            <History personId={personId} />
          </div>
        )}
      </Shown>
    </Card>
  )
}

function History({ personId }: { personId: string }) {
  const { site } = useSession()
  const records = useList('listConsents', (cursor) => ({
    params: { personId },
    query: { limit: 20, ...(cursor !== undefined && { cursor }) },
  }))
  if (records.data === undefined || records.data.length === 0) return null
  return (
    <details>
      <summary>{peopleText.consent.history(records.data.length)}</summary>
      <ol className="timeline">
        {records.data.map(({ id, effective_at, stated, source }) => (
          <li key={id}>
            <span className="soft small">{formatTime(effective_at, site.timezone)}</span>
            <span className="small">
              {source}:{' '}
              {Object.entries(stated)
                .map(([category, choice]) => `${category} ${choice}`)
                .join(', ')}
            </span>
          </li>
        ))}
      </ol>
    </details>
  )
}
