import { type Report, reportKinds } from '@assay/contract'
import { useEffect } from 'react'
import { Link } from 'wouter'
import { useList } from '../../api/reads.ts'
import { now } from '../../clock.ts'
import { formatAgo } from '../../format.ts'
import { LinkButton } from '../../kit/button.tsx'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { Select } from '../../kit/select.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { ListSearch, useListSearch } from '../../reports/list-search.tsx'
import { DeleteReport, RenameReport } from '../../reports/report-changes.tsx'
import { reportHref } from '../../reports/report-link.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { text } from '../../text.ts'
import '../../style/explore.css'

const pageSize = 200
const allKinds = ''

/** Everything that was saved on this site, found by its name. */
export default function ReportsPage() {
  const { siteId, parameters } = usePlace()
  const way = useWay()
  const words = text.savedReports
  const reports = useAllReports(siteId)
  const search = useListSearch()
  const kind = reportKinds.find((one) => one === parameters.get('kind')) ?? allKinds
  return (
    <Page
      title={text.pages.reports}
      lead={words.lead}
      acts={
        <LinkButton look="primary" href={way.to('explore')}>
          {words.new}
        </LinkButton>
      }
    >
      <Card>
        <Shown of={reports} lines={6} empty={(data) => (data.length === 0 ? <NoReports /> : null)}>
          {(data) => (
            <>
              <div className="row">
                <ListSearch label={words.search} />
                <Select
                  name={words.kind}
                  value={kind}
                  choices={[
                    { value: allKinds, label: words.allKinds },
                    ...reportKinds.map((value) => ({ value, label: words.kinds[value] })),
                  ]}
                  onChange={(value) => way.go(way.here({ kind: value }))}
                />
              </div>
              <ReportTable rows={data.filter((report) => fits(report, search, kind))} />
            </>
          )}
        </Shown>
      </Card>
    </Page>
  )
}

/** A search through half a list would mislead, and a site has a thousand at most. */
function useAllReports(siteId: string) {
  const reports = useList('listReports', (cursor) => ({
    query: { siteId, limit: pageSize, ...(cursor !== undefined && { cursor }) },
  }))
  const { more, isLoadingMore } = reports
  useEffect(() => {
    if (more !== null && !isLoadingMore) more()
  }, [more, isLoadingMore])
  return reports
}

function fits({ name, description, kind }: Report, search: string, wanted: string): boolean {
  const sought = search.trim().toLowerCase()
  const isFound = name.toLowerCase().includes(sought) || description.toLowerCase().includes(sought)
  return isFound && (wanted === allKinds || kind === wanted)
}

function NoReports() {
  return <Empty title={text.savedReports.none}>{text.savedReports.noneDetail}</Empty>
}

function ReportTable({ rows }: { rows: readonly Report[] }) {
  const way = useWay()
  const mayWrite = useMay('analytics:write')
  const words = text.savedReports
  if (rows.length === 0) return <Empty title={words.noMatch} />
  return (
    <Table
      caption={text.pages.reports}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          title: words.name,
          sortBy: ({ name }) => name,
          cell: (report) => (
            <>
              <Link href={reportHref(report, way)}>{report.name || words.unnamed}</Link>
              {report.description !== '' && <p className="soft small clamp">{report.description}</p>}
            </>
          ),
        },
        {
          title: words.kind,
          sortBy: ({ kind }) => kind,
          cell: ({ kind }) => <Badge>{words.kinds[kind]}</Badge>,
        },
        {
          title: words.updated,
          sortBy: ({ updatedAt }) => updatedAt,
          cell: ({ updatedAt }) => formatAgo(updatedAt, now()),
        },
        {
          title: words.acts,
          kind: 'act',
          cell: (report) =>
            mayWrite && (
              <div className="row end">
                <RenameReport report={report} />
                <DeleteReport report={report} />
              </div>
            ),
        },
      ]}
    />
  )
}
