import type { SiteFigures } from '@assay/contract'
import { Link } from 'wouter'
import { useRead } from '../../api/reads.ts'
import { changeOf, formatCount, formatShare } from '../../format.ts'
import { Card, Page } from '../../kit/card.tsx'
import { Change } from '../../kit/change.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { hrefOf, usePlace } from '../../shell/place.ts'
import { usePeriod } from '../../shell/range.ts'
import { text } from '../../text.ts'

import { Sparkline } from './sparkline.tsx'

/** Every site of the workspace with its visitors, the most visited first. */
export default function AllSitesPage() {
  const { siteId: _, ...period } = usePeriod()
  const figures = useRead('listSiteFigures', { query: period })
  const words = text.allSites
  return (
    <Page title={text.pages.allSites} lead={words.lead}>
      <Card>
        <Shown
          of={figures}
          lines={6}
          empty={({ sites }) => (sites.length === 0 ? <Empty title={words.empty} /> : null)}
        >
          {({ sites, total }) => (
            <>
              <Sites of={sites} />
              {total > sites.length && (
                <p className="soft small">{words.part(formatCount(sites.length), formatCount(total))}</p>
              )}
            </>
          )}
        </Shown>
      </Card>
    </Page>
  )
}

function Sites({ of }: { of: readonly SiteFigures[] }) {
  const { workspaceId, parameters } = usePlace()
  const words = text.allSites
  return (
    <Table
      caption={text.pages.allSites}
      rows={of}
      keyOf={({ siteId }) => siteId}
      columns={[
        {
          title: words.site,
          sortBy: ({ name }) => name,
          cell: ({ siteId, name, domain }) => (
            <div className="stack tight">
              <Link href={hrefOf({ workspaceId, siteId }, 'overview', parameters.toString())}>{name}</Link>
              <span className="soft small">{domain}</span>
            </div>
          ),
        },
        {
          title: text.metrics.visitors,
          kind: 'number',
          sortBy: ({ visitors }) => visitors,
          cell: ({ visitors, previousVisitors }) => (
            <div className="stack tight">
              <strong>{formatCount(visitors)}</strong>
              <Change change={changeOf(visitors, previousVisitors)} before={formatCount(previousVisitors)} />
            </div>
          ),
        },
        {
          title: words.trend,
          cell: ({ name, series }) => <Sparkline label={words.trendOf(name)} of={series} />,
        },
        {
          title: words.online,
          kind: 'number',
          sortBy: ({ liveVisitors }) => liveVisitors,
          cell: ({ liveVisitors }) => formatCount(liveVisitors),
        },
        {
          title: words.held,
          kind: 'number',
          sortBy: ({ heldShare }) => heldShare,
          cell: ({ heldShare }) => (heldShare === null ? text.nothing : formatShare(heldShare)),
        },
      ]}
    />
  )
}
