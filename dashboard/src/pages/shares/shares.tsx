import { boardLimits, type Share, shareLimits } from '@assay/contract'
import { Link } from 'wouter'
import { useList, useRead } from '../../api/reads.ts'
import { now } from '../../clock.ts'
import { formatAgo } from '../../format.ts'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { ListTable } from '../../kit/table.tsx'
import { RevokeShare } from '../../shares/revoke-share.tsx'
import { ShareLimits } from '../../shares/share-limits.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { text } from '../../text.ts'
import '../../style/boards.css'

/** All links of the site. */
export default function SharesPage() {
  const { siteId } = usePlace()
  const words = text.shares
  const mayWrite = useMay('analytics:write')
  const shares = useList('listShares', (cursor) => ({
    query: { siteId, limit: shareLimits.sharesMax, ...(cursor !== undefined && { cursor }) },
  }))
  return (
    <Page title={text.pages.shares} lead={words.listLead}>
      <Card>
        <ListTable
          caption={text.pages.shares}
          of={shares}
          empty={{ title: words.none, detail: words.noneDetail }}
          keyOf={({ id }) => id}
          columns={[
            { title: words.what, cell: (share) => <Target share={share} /> },
            { title: words.limits, cell: (share) => <ShareLimits share={share} /> },
            { title: words.createdAt, kind: 'time', cell: ({ createdAt }) => formatAgo(createdAt, now()) },
            {
              title: text.acts.act,
              kind: 'act',
              cell: (share) => mayWrite && <RevokeShare share={share} />,
            },
          ]}
        />
      </Card>
    </Page>
  )
}

const reportsMax = 200

function Target({ share: { type, targetId } }: { share: Share }) {
  const { siteId } = usePlace()
  const way = useWay()
  const words = text.shares
  const boards = useRead(
    'listBoards',
    { query: { siteId, limit: boardLimits.boardsMax } },
    { isOff: type !== 'board' },
  ).data
  const reports = useRead(
    'listReports',
    { query: { siteId, limit: reportsMax } },
    { isOff: type !== 'report' },
  ).data
  const board = [...(boards?.data ?? []), ...(boards?.ready ?? [])].find(({ id }) => id === targetId)
  const report = reports?.data.find(({ id }) => id === targetId)
  const isLoaded = type === 'overview' || boards !== undefined || reports !== undefined
  return (
    <span className="state-line">
      <Badge>{words.types[type]}</Badge>
      {type === 'overview' && <Link href={way.to('overview')}>{text.pages.overview}</Link>}
      {board !== undefined && <Link href={way.to(`boards/${board.id}`)}>{board.name}</Link>}
      {report !== undefined && <Link href={way.to('reports', { search: report.name })}>{report.name}</Link>}
      {isLoaded && type !== 'overview' && board === undefined && report === undefined && words.deleted}
    </span>
  )
}
