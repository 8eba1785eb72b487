import type { Audience, MemberState } from '@assay/contract'
import { Link } from 'wouter'
import { useList, useRead, useWrite } from '../../api/reads.ts'
import { formatCount, formatMinute } from '../../format.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Card, Facts, Page } from '../../kit/card.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { Select } from '../../kit/select.tsx'
import { ProblemNote, Shown } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { peopleText } from '../../text/people.ts'
import { watchText } from '../../text/watch.ts'
import { text } from '../../text.ts'
import { AudienceBadge } from './audience-badge.tsx'
import { AudienceForm } from './audience-form.tsx'

/** One audience: how large it is, its rule, and who is in it. */
export function AudiencePage({ audienceId }: { audienceId: string }) {
  const way = useWay()
  const mayWrite = useMay('analytics:write')
  const mayRead = useMay('identity:read')
  const audience = useRead('getAudience', { params: { id: audienceId } })
  const words = watchText.audiences
  return (
    <Page
      title={audience.data?.name ?? text.pages.audiences}
      back={{ href: way.to('audiences'), title: words.back }}
      acts={
        <>
          <LinkButton look="primary" href={way.to('overview', { audience: audienceId })}>
            {words.inReports}
          </LinkButton>
          {mayWrite && audience.data !== undefined && <Acts audience={audience.data} />}
        </>
      }
    >
      <Shown of={audience} lines={8}>
        {(data) => (
          <>
            <Size audience={data} />
            {mayWrite && <AudienceForm audience={data} />}
            {mayRead && <Members audienceId={audienceId} />}
          </>
        )}
      </Shown>
    </Page>
  )
}

function Size({ audience }: { audience: Audience }) {
  const { site } = useSession()
  const words = watchText.audiences
  return (
    <Card>
      <Facts
        of={[
          [words.size, <strong key="size">{formatCount(audience.size)}</strong>],
          [words.counted, formatMinute(audience.sizeAt, site.timezone)],
          [words.status, <AudienceBadge key="status" status={audience.status} />],
          [words.description, audience.description],
        ]}
      />
    </Card>
  )
}

function Acts({ audience }: { audience: Audience }) {
  const way = useWay()
  const say = useNotice()
  const changing = useWrite('updateAudience', ['listAudiences', 'getAudience'])
  const removing = useWrite('deleteAudience', ['listAudiences'])
  const words = watchText.audiences
  const isActive = audience.status === 'active'
  const params = { id: audience.id }
  const remove = async () => {
    if ((await removing.send({ params })) === null) return false
    say(words.removed(audience.name))
    way.go(way.to('audiences'))
    return true
  }
  return (
    <>
      <Button
        disabled={changing.isSending}
        onClick={() => void changing.send({ params, body: { status: isActive ? 'paused' : 'active' } })}
      >
        {isActive ? words.pause : words.resume}
      </Button>
      <Confirm
        act={text.acts.remove}
        title={words.removeTitle(audience.name)}
        error={removing.error}
        isSending={removing.isSending}
        onConfirm={remove}
      >
        <p>{words.removeMeans}</p>
      </Confirm>
      <ProblemNote error={changing.error} />
    </>
  )
}

const memberStates: readonly MemberState[] = ['joined', 'left', 'all']
const membersPerPage = 50

function Members({ audienceId }: { audienceId: string }) {
  const { parameters } = usePlace()
  const { site } = useSession()
  const way = useWay()
  const state = memberStates.find((name) => name === parameters.get('members')) ?? 'joined'
  const members = useList('listAudienceMembers', (cursor) => ({
    params: { id: audienceId },
    query: { state, limit: membersPerPage, ...(cursor !== undefined && { cursor }) },
  }))
  const words = watchText.audiences
  return (
    <Card
      title={words.members}
      act={
        <Select
          name={words.which}
          value={state}
          choices={memberStates.map((value) => ({ value, label: words.memberStates[value] }))}
          onChange={(value) => way.go(way.here({ members: value === 'joined' ? null : value }))}
        />
      }
    >
      <ListTable
        of={members}
        caption={words.members}
        keyOf={({ personId }) => personId}
        empty={{ title: words.noMembers }}
        columns={[
          {
            title: peopleText.people.person,
            cell: ({ personId }) => (
              <Link className="mono id" href={way.to(`people/${personId}`)}>
                {personId}
              </Link>
            ),
          },
          {
            title: words.joined,
            kind: 'time',
            cell: ({ joinedAt }) => formatMinute(joinedAt, site.timezone),
          },
          {
            title: words.left,
            cell: ({ leftAt }) => (leftAt === null ? text.nothing : formatMinute(leftAt, site.timezone)),
          },
        ]}
      />
    </Card>
  )
}
