import {
  type Answer,
  type ErrorGroup,
  type FlowGraph,
  type FunnelResult,
  type Journeys,
  type Metric,
  type Overview,
  type ReportResult,
  type Retention,
  reportKinds,
} from '@assay/contract'
import { text } from '../../text.ts'
import { viewFor } from '../explore/question.ts'
import { ErrorsTile, FlowTile, FunnelTile, JourneysTile, RetentionTile } from './tile-lists.tsx'
import { OverviewTile } from './tile-overview.tsx'
import { QueryTile } from './tile-query.tsx'

type TileBodyProps = {
  title: string
  answer: Pick<ReportResult, 'kind' | 'question' | 'view' | 'result'>
  /** Of a chart, in pixels. */
  height: number
}

/** What a tile shows, by the kind of its question. */
export function TileBody({ title, answer: { kind, question, view, result }, height }: TileBodyProps) {
  // boundary: the API answers each kind as its own route does; the contract declares them there.
  const of = <Result,>() => result as Result
  switch (kind) {
    case 'query':
      return (
        <QueryTile
          title={title}
          answer={of<Answer>()}
          metrics={metricsOf(question)}
          view={viewFor(question, view)}
          height={height}
        />
      )
    case 'overview':
      return <OverviewTile title={title} overview={of<Overview>()} height={height} />
    case 'funnel':
      return <FunnelTile funnel={of<FunnelResult>()} />
    case 'retention':
      return <RetentionTile title={title} retention={of<Retention>()} />
    case 'flow':
      return <FlowTile graph={of<FlowGraph>()} />
    case 'journeys':
      return <JourneysTile journeys={of<Journeys>()} />
    case 'errors':
      return <ErrorsTile title={title} errors={of<{ data: readonly ErrorGroup[] }>().data} />
  }
}

function metricsOf(question: ReportResult['question']): readonly Metric[] {
  // boundary: the question was answered, so its metrics are sound.
  return Array.isArray(question.metrics) ? (question.metrics as readonly Metric[]) : []
}

/** The kinds that a question of a tile can have, in words. */
export const kindChoices = reportKinds.map((value) => ({ value, label: text.savedReports.kinds[value] }))
