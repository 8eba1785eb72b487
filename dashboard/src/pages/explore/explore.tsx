import { ApiProblem } from '@assay/contract'
import { useMemo, useState } from 'react'
import { plainWords } from '../../api/problem.ts'
import { useRead } from '../../api/reads.ts'
import { useFilters } from '../../filters/filters.ts'
import { useFilterNames } from '../../filters/names.ts'
import { Page } from '../../kit/card.tsx'
import { useOpenReport } from '../../reports/open-report.ts'
import { ReportActions } from '../../reports/report-actions.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'
import { Builder, type FaultAt } from './builder.tsx'
import { Examples } from './examples.tsx'
import { answerName, metricLabel, newMetric } from './metric-draft.ts'
import { type Asked, askedOf, changesFor, questionOf } from './question.ts'
import { Result } from './result.tsx'
import { ViewControls } from './view-controls.tsx'
import '../../style/explore.css'

/** Any question about the events of the site. The question is the address. */
export default function ExplorePage() {
  const { siteId, parameters } = usePlace()
  const filters = useFilters()
  const [asked, setAsked] = useAsked()
  const question = useMemo(
    () => questionOf(asked, parameters, filters.list),
    [asked, parameters, filters.list],
  )
  const isAsked = question.metrics.length > 0
  const reading = useRead(
    'runQuery',
    { body: { ...question, siteId } },
    { isOff: !isAsked || filters.isBroken },
  )
  const labelOf = useLabels(asked)
  const faults = refusedMembers(reading.error, filters.isBroken)
  const report = useOpenReport()
  return (
    <Page
      title={report?.name ?? text.pages.explore}
      lead={report === undefined ? text.explore.lead : report.description}
      acts={
        reading.data !== undefined && (
          <ReportActions kind="query" question={question} view={asked.view} report={report} />
        )
      }
    >
      <Builder asked={asked} onChange={setAsked} faultAt={faults.at} />
      {isAsked ? (
        <>
          <ViewControls asked={asked} onChange={setAsked} labelOf={labelOf} />
          <Result reading={reading} asked={asked} labelOf={labelOf} isMarked={faults.isWhole} />
        </>
      ) : (
        <Examples />
      )}
    </Page>
  )
}

/**
 * The question of the address, with lines that are not complete yet. A change that is complete goes into the address
 * at once; an address from elsewhere (back, a link) takes the place of what was typed.
 */
function useAsked(): [Asked, (asked: Asked) => void] {
  const { parameters } = usePlace()
  const way = useWay()
  const fresh = () => {
    const read = askedOf(parameters)
    return read.metrics.length === 0 ? { ...read, metrics: [newMetric([])] } : read
  }
  const [asked, setAsked] = useState(fresh)
  const written = JSON.stringify(changesFor(askedOf(parameters)))
  const [seen, setSeen] = useState(written)
  if (seen !== written) {
    setSeen(written)
    if (JSON.stringify(changesFor(asked)) !== written) setAsked(fresh())
  }
  const change = (next: Asked) => {
    setAsked(next)
    if (JSON.stringify(changesFor(next)) !== written) way.go(way.here(changesFor(next)))
  }
  return [asked, change]
}

/** Names of the answer in words. */
function useLabels({ metrics }: Asked): (name: string) => string {
  const { goal } = useFilterNames()
  return useMemo(() => {
    const labels = new Map(metrics.map((draft) => [answerName(draft), metricLabel(draft, goal)]))
    return (name) => labels.get(name) ?? name
  }, [metrics, goal])
}

/** What the API refused, by the member it names. */
function refusedMembers(error: Error | null, isBroken: boolean): { at: FaultAt; isWhole: boolean } {
  const errors = error instanceof ApiProblem ? (error.body.errors ?? []) : []
  const shown = ['metrics', 'dimensions', 'filters']
  return {
    at: (member) => {
      if (isBroken && member === 'filters') return text.explore.brokenFilters
      const found = errors.find(
        ({ field }) => field === member || field.startsWith(`${member}[`) || field.startsWith(`${member}.`),
      )
      return found === undefined ? null : faultWords(found.message)
    },
    isWhole:
      isBroken ||
      (errors.length > 0 && errors.every(({ field }) => shown.some((member) => field.startsWith(member)))),
  }
}

/** A list of every dimension is for programs; people have it in the picker. */
const faultWords = (message: string): string =>
  message.startsWith('must be one of') ? text.form.notOffered : plainWords(message)
