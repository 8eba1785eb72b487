import type { Overview } from '@assay/contract'
import { useRead } from '../../api/reads.ts'
import { FilterBar } from '../../filters/filter-bar.tsx'
import { LinkButton } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { Empty, Loading, Shown } from '../../kit/states.tsx'
import { ShareButton } from '../../shares/share-button.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useOverviewComparison } from '../../shell/range.ts'
import { useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { overviewAsked } from '../main-reads.ts'
import { Breakdowns } from './breakdowns.tsx'
import { Checklist, type SetUp, useSetUp } from './checklist.tsx'
import { DataUntil } from './data-until.tsx'
import { Currencies, Figures } from './figures.tsx'
import { LiveCount } from './live-count.tsx'
import { Quality } from './quality.tsx'
import { SeriesChart, useSeriesAhead } from './series-chart.tsx'

export default function OverviewPage() {
  const { site } = useSession()
  const overview = useRead('getOverview', overviewAsked(usePlace()))
  useSeriesAhead()
  const setUp = useSetUp()
  return (
    <Page
      title={site.name}
      acts={
        <>
          <LiveCount />
          <ShareButton type="overview" targetId={null} name={text.pages.overview} />
        </>
      }
    >
      <FilterBar>{overview.data !== undefined && <DataUntil data={overview.data} />}</FilterBar>
      <Shown of={overview} lines={10}>
        {(data) => (setUp.isKnown ? <Report data={data} done={setUp.done} /> : <Loading lines={10} />)}
      </Shown>
    </Page>
  )
}

function Report({ data, done }: { data: Overview; done: SetUp['done'] }) {
  const way = useWay()
  const comparison = useOverviewComparison()
  const { quarantined, rejected } = data.dataQuality
  const isSilent = data.metrics.events === 0 && quarantined === 0 && rejected === 0
  return (
    <>
      {isSilent && (
        <Card>
          <Empty title={text.overview.silent}>
            <p>{text.overview.silentDetail}</p>
            <LinkButton href={way.to('start')}>{text.pages.start}</LinkButton>
          </Empty>
        </Card>
      )}
      <Checklist hasEvents={data.metrics.events > 0} done={done} />
      <Figures data={data} isCompared={comparison !== null} />
      <Currencies data={data} />
      <SeriesChart data={data} />
      <Quality data={data} />
      <Breakdowns data={data} />
    </>
  )
}
