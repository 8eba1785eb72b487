import {
  type EvidenceLevel,
  evidenceLevels,
  type ImpactResult,
  impactDaysMax,
  impactResultsMax,
  type RevenueImpact,
} from '@assay/contract'
import { useState } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/reads.ts'
import { FilterBar } from '../../filters/filter-bar.tsx'
import { formatCount, formatMoney } from '../../format.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { Select } from '../../kit/select.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { capitalised } from '../../plural.ts'
import type { PageProps } from '../../shell/page-props.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'
import { errorsAsked } from '../main-reads.ts'
import { Evidence, StateBadge } from './error-badges.tsx'
import { ErrorPage } from './error-page.tsx'
import { hasEstimate, noEstimateReason } from './estimate.ts'
import { isCut } from './window.ts'

/** Errors of the customer's own site, ranked by what they cost. */
export default function ErrorsPage({ rest }: PageProps) {
  return rest === '' ? <Ranking /> : <ErrorPage key={rest} groupId={rest} />
}

function Ranking() {
  const place = usePlace()
  const asked = errorsAsked(place)
  const impact = useRead('getRevenueImpact', asked)
  const way = useWay()
  const words = text.errors
  return (
    <Page
      title={text.pages.errors}
      lead={words.lead}
      acts={<LinkButton href={way.to('settings/error-rules')}>{text.pages.errorRules}</LinkButton>}
    >
      <FilterBar />
      <Card title={words.ranking} act={<EvidenceFilter of={asked.query.evidence ?? ''} />}>
        <p className="soft small">{words.lossMeans}</p>
        {isCut(place.parameters) && <p className="soft small">{words.covered(impactDaysMax)}</p>}
        <Shown
          of={impact}
          lines={8}
          empty={({ results }) =>
            results.length === 0 ? <Empty title={words.empty}>{words.emptyDetail}</Empty> : null
          }
        >
          {(data) => <Groups impact={data} />}
        </Shown>
      </Card>
    </Page>
  )
}

function EvidenceFilter({ of }: { of: EvidenceLevel | '' }) {
  const way = useWay()
  const words = text.errors
  return (
    <Select<EvidenceLevel | ''>
      name={words.evidence}
      value={of}
      choices={[
        { value: '', label: words.everyEvidence },
        ...evidenceLevels.map((level) => ({ value: level, label: capitalised(words.evidences[level]) })),
      ]}
      onChange={(evidence) => way.go(way.here({ evidence }))}
    />
  )
}

/** They are ranked, so the rest costs less. */
const groupsShown = 25

function Groups({ impact }: { impact: RevenueImpact }) {
  const [isWhole, setWhole] = useState(false)
  const way = useWay()
  const words = text.errors
  const money = (amount: number) => formatMoney(amount, impact.currency)
  return (
    <>
      <Table
        caption={words.ranking}
        rows={isWhole ? impact.results : impact.results.slice(0, groupsShown)}
        isPart={!isWhole && impact.results.length > groupsShown}
        keyOf={({ groupId }) => groupId}
        columns={[
          {
            title: words.group,
            sortBy: ({ errorGroup }) => errorGroup,
            cell: ({ groupId, errorGroup, state, stage }) => (
              <div className="stack tight">
                <Link className="break clamp" title={errorGroup} href={way.to(`errors/${groupId}`)}>
                  {errorGroup}
                </Link>
                <span className="row">
                  <StateBadge state={state} />
                  <span className="soft small">{words.stages[stage]}</span>
                </span>
              </div>
            ),
          },
          {
            title: words.loss,
            kind: 'number',
            sortBy: (group) => (hasEstimate(group) ? group.impact.totalRevenueLoss : null),
            cell: (group) => (
              <div className="stack tight">
                <strong>
                  {hasEstimate(group) ? money(group.impact.totalRevenueLoss) : words.noEstimate}
                </strong>
                <span className="soft small">{boundsOf(group, money)}</span>
              </div>
            ),
          },
          { title: words.evidence, cell: ({ evidence }) => <Evidence of={evidence} /> },
          {
            title: words.users,
            kind: 'number',
            sortBy: ({ impact: { affectedUsers } }) => affectedUsers,
            cell: (group) => formatCount(group.impact.affectedUsers),
          },
          { title: words.trend, cell: ({ trend }) => words.trends[trend] },
        ]}
      />
      {impact.results.length === impactResultsMax && (
        <p className="soft small">{words.andMore(formatCount(impactResultsMax))}</p>
      )}
      {!isWhole && impact.results.length > groupsShown && (
        <div>
          <Button onClick={() => setWhole(true)}>{words.showAll(formatCount(impact.results.length))}</Button>
        </div>
      )}
    </>
  )
}

/** How far the loss may be off, or why there is no estimate. */
function boundsOf(group: ImpactResult, money: (amount: number) => string): string {
  const { low, high } = group.weightedInterval90
  return hasEstimate(group) ? text.errors.between(money(low), money(high)) : noEstimateReason(group)
}
