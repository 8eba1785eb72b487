import type { Overview } from '@assay/contract'
import { useEffect } from 'react'
import { useRead, useRefresh } from '../../api/reads.ts'
import { FilterBar } from '../../filters/filter-bar.tsx'
import { useFilters } from '../../filters/filters.ts'
import { Page } from '../../kit/card.tsx'
import { Loading, Shown } from '../../kit/states.tsx'
import { ShareButton } from '../../shares/share-button.tsx'
import { usePlace } from '../../shell/place.ts'
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

/** A newcomer who has just added the tag waits for the first event, and asking about none costs little. */
const silentMs = 5_000

function isSilent({ metrics, dataQuality: { quarantined, rejected } }: Overview): boolean {
  return metrics.events === 0 && quarantined === 0 && rejected === 0
}

export default function OverviewPage() {
  const { site } = useSession()
  const isFiltered = useFilters().list.length > 0
  const place = usePlace()
  const overview = useRead('getOverview', overviewAsked(place), {
    everyMs: (data) => (data !== undefined && !isFiltered && isSilent(data) ? silentMs : false),
  })
  useSeriesAhead()
  const isWaiting = overview.data !== undefined && isSilent(overview.data)
  const refresh = useRefresh()
  // With the first event the chart and the breakdowns are asked for again too.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of the silence is what this waits for
  useEffect(() => (isWaiting ? () => refresh('runQuery') : undefined), [isWaiting])
  const setUp = useSetUp()
  // Of another time, or of some events only, nothing says how far the site is.
  const isWhole = !isFiltered && !place.parameters.has('from')
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
        {(data) =>
          setUp.isKnown ? <Report data={data} done={isWhole ? setUp.done : null} /> : <Loading lines={10} />
        }
      </Shown>
    </Page>
  )
}

function Report({ data, done }: { data: Overview; done: SetUp['done'] }) {
  const comparison = useOverviewComparison()
  return (
    <>
      <Checklist hasEvents={data.metrics.events > 0} isSilent={isSilent(data)} done={done} />
      <Figures data={data} isCompared={comparison !== null} />
      <Currencies data={data} />
      <SeriesChart data={data} />
      <Quality data={data} />
      <Breakdowns data={data} />
    </>
  )
}
