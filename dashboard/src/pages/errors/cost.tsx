import type { ImpactResult } from '@assay/contract'
import { useRead } from '../../api/reads.ts'
import { formatCount, formatMoney, formatShare } from '../../format.ts'
import { Card, Facts } from '../../kit/card.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { text } from '../../text.ts'
import { Evidence } from './error-badges.tsx'
import { formatRounded, hasEstimate, noEstimateReason } from './estimate.ts'
import { useErrorQuery } from './window.ts'

export function Cost({ groupId }: { groupId: string }) {
  const impact = useRead('getRevenueImpact', { query: useErrorQuery() })
  const words = text.errors
  return (
    <Card title={words.cost}>
      <Shown of={impact}>
        {({ results, currency }) => {
          const found = results.find((result) => result.groupId === groupId)
          if (found === undefined) return <Empty title={words.noCost} />
          if (!hasEstimate(found)) return <Empty title={words.noEstimate}>{noEstimateReason(found)}</Empty>
          return <CostFacts result={found} currency={currency} />
        }}
      </Shown>
    </Card>
  )
}

function CostFacts({ result, currency }: { result: ImpactResult; currency: string | null }) {
  const words = text.errors
  const money = (amount: number) => formatMoney(amount, currency)
  const bounds = ({ low, high }: ImpactResult['interval90']) => words.between(money(low), money(high))
  return (
    <>
      <Comparison result={result} />
      <Facts
        of={[
          [words.loss, money(result.impact.totalRevenueLoss)],
          [words.interval, bounds(result.weightedInterval90)],
          [words.unweighted, `${money(result.unweightedRevenueLoss)} (${bounds(result.interval90)})`],
          [words.evidence, <Evidence key="evidence" of={result.evidence} />],
          [words.stage, words.stages[result.stage]],
          [words.without, formatShare(result.baselineConversionRate)],
          [words.with, formatShare(result.affectedConversionRate)],
          [words.dropOff, dropOffOf(result)],
        ]}
      />
      <p className="soft small">
        {words.formula}. {words.lossMeans}
      </p>
      <Table
        caption={words.segments}
        rows={result.impact.bySegment}
        keyOf={({ segment }) => segment}
        columns={[
          { title: words.segment, cell: ({ segment }) => words.segmentNames[segment] },
          { title: words.users, kind: 'number', cell: ({ users }) => formatCount(users) },
          { title: words.sessions, kind: 'number', cell: ({ sessions }) => formatCount(sessions) },
          { title: words.orderValue, kind: 'number', cell: (row) => money(row.averageOrderValue) },
          { title: words.unweighted, kind: 'number', cell: (row) => money(row.unweightedRevenueLoss) },
          { title: words.weight, kind: 'number', cell: ({ weight }) => `×${weight}` },
          { title: words.weighted, kind: 'number', cell: ({ revenueLoss }) => money(revenueLoss) },
        ]}
      />
    </>
  )
}

/** Which visits are compared with which, in words and with every number that the rates are made of. */
function Comparison({ result }: { result: ImpactResult }) {
  const words = text.errors
  const { impact, evidence, comparedSessions, convertedSessions, expectedConversions } = result
  const open = formatCount(comparedSessions)
  return (
    <p>
      {words.compared(formatCount(impact.affectedSessions), open)}{' '}
      {words.outcome(
        formatCount(convertedSessions),
        open,
        formatShare(result.affectedConversionRate),
        formatRounded(expectedConversions),
        formatShare(result.baselineConversionRate),
      )}{' '}
      {evidence !== 'insufficient' && words.evidenceMeans[evidence]}
    </p>
  )
}

function dropOffOf({
  baselineConversionRate,
  affectedConversionRate,
  reliability,
  dropOffProbability,
}: ImpactResult) {
  if (dropOffProbability === 0) return formatShare(0)
  const raw = 1 - affectedConversionRate / baselineConversionRate
  const parts = text.errors.dropOffMeans(formatShare(raw), formatShare(reliability))
  return `${formatShare(dropOffProbability)} (${parts})`
}
