import { Link } from 'wouter'
import { useList } from '../../api/reads.ts'
import { now } from '../../clock.ts'
import { formatAgo, formatCount } from '../../format.ts'
import { LinkButton } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { NoPermission } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import type { PageProps } from '../../shell/page-props.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { watchText } from '../../text/watch.ts'
import { text } from '../../text.ts'
import { AudienceBadge } from './audience-badge.tsx'
import { AudienceForm } from './audience-form.tsx'
import { AudiencePage } from './audience-page.tsx'

const audiencesPerPage = 50

/** Groups of people by rules; each can be looked at alone in every report. */
export default function AudiencesPage({ rest }: PageProps) {
  if (rest === '') return <AudienceList />
  return rest === 'new' ? <NewAudience /> : <AudiencePage key={rest} audienceId={rest} />
}

function AudienceList() {
  const { siteId } = usePlace()
  const way = useWay()
  const mayWrite = useMay('analytics:write')
  const audiences = useList('listAudiences', (cursor) => ({
    query: { siteId, limit: audiencesPerPage, ...(cursor !== undefined && { cursor }) },
  }))
  const words = watchText.audiences
  return (
    <Page
      title={text.pages.audiences}
      lead={words.lead}
      acts={
        mayWrite && (
          <LinkButton look="primary" href={way.to('audiences/new')}>
            {words.new}
          </LinkButton>
        )
      }
    >
      <Card>
        <ListTable
          of={audiences}
          caption={text.pages.audiences}
          keyOf={({ id }) => id}
          empty={{ title: words.empty, detail: words.emptyDetail }}
          columns={[
            {
              title: words.name,
              sortBy: ({ name }) => name,
              cell: ({ id, name, description }) => (
                <div className="stack tight">
                  <Link href={way.to(`audiences/${id}`)}>{name}</Link>
                  {description !== '' && <span className="soft small">{description}</span>}
                </div>
              ),
            },
            {
              title: words.size,
              kind: 'number',
              sortBy: ({ size }) => size,
              cell: ({ size }) => formatCount(size),
            },
            { title: words.counted, kind: 'number', cell: ({ sizeAt }) => formatAgo(sizeAt, now()) },
            { title: words.status, cell: ({ status }) => <AudienceBadge status={status} /> },
            {
              title: text.acts.act,
              kind: 'act',
              cell: ({ id, name }) => (
                <Link aria-label={`${words.inReports}: ${name}`} href={way.to('overview', { audience: id })}>
                  {words.inReports}
                </Link>
              ),
            },
          ]}
        />
      </Card>
    </Page>
  )
}

function NewAudience() {
  const way = useWay()
  const mayWrite = useMay('analytics:write')
  const words = watchText.audiences
  return (
    <Page title={words.new} back={{ href: way.to('audiences'), title: words.back }}>
      {mayWrite ? <AudienceForm audience={null} /> : <NoPermission />}
    </Page>
  )
}
