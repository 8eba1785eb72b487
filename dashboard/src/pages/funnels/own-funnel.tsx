import { type FunnelStep, funnelBreakdowns, funnelOrders, isRecord } from '@assay/contract'
import { Fragment, useState } from 'react'
import { useRead } from '../../api/reads.ts'
import { EventPicker } from '../../filters/event-picker.tsx'
import { FilterBar } from '../../filters/filter-bar.tsx'
import { useFilters } from '../../filters/filters.ts'
import { PagePicker } from '../../filters/page-picker.tsx'
import { formatCount, formatShare } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { useOpenReport } from '../../reports/open-report.ts'
import { ReportActions } from '../../reports/report-actions.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { usePeriod } from '../../shell/range.ts'
import { text } from '../../text.ts'
import { DropOff } from './drop-off.tsx'
import { StepBars } from './step-bars.tsx'

export const writeSteps = (steps: readonly FunnelStep[]) => JSON.stringify(steps)

/** The steps of the address; whatever else stands there is no step. */
function readSteps(written: string | null): FunnelStep[] {
  try {
    const parsed: unknown = JSON.parse(written ?? '[]')
    if (!Array.isArray(parsed)) return []
    const steps = parsed.filter(isRecord).map(({ event, path, target }) => ({
      ...(typeof event === 'string' && event !== '' && { event }),
      ...(typeof path === 'string' && path !== '' && { path }),
      ...(typeof target === 'string' && target !== '' && { target }),
    }))
    return steps.filter((step) => Object.keys(step).length > 0)
  } catch {
    return []
  }
}

/** A funnel by steps of one's own, all of which stand in the address. */
export function OwnFunnel() {
  const { parameters } = usePlace()
  const way = useWay()
  const steps = readSteps(parameters.get('steps'))
  const question = useQuestion(steps)
  const report = useOpenReport()
  const words = text.funnels
  return (
    <Page
      title={report?.name ?? (parameters.get('name') || words.own)}
      back={{ href: way.to('funnels'), title: words.back }}
      acts={steps.length > 0 && <ReportActions kind="funnel" question={question} report={report} />}
    >
      <FilterBar />
      <Card title={words.steps}>
        <StepForm key={parameters.get('steps')} initial={steps} />
      </Card>
      {steps.length > 0 && <Result steps={steps} />}
    </Page>
  )
}

type Line = { id: number; event: string; path: string; target: string }
const usual: readonly FunnelStep[] = [{ event: '$pageview' }, { event: '$purchase' }]

function StepForm({ initial }: { initial: readonly FunnelStep[] }) {
  const way = useWay()
  const [lines, setLines] = useState<readonly Line[]>(
    (initial.length > 0 ? initial : usual).map(({ event = '', path = '', target = '' }, id) => ({
      id,
      event,
      path,
      target,
    })),
  )
  const words = text.funnels
  const set = (id: number, change: Partial<Line>) =>
    setLines(lines.map((line) => (line.id === id ? { ...line, ...change } : line)))
  const add = () => {
    const id = Math.max(-1, ...lines.map((line) => line.id)) + 1
    setLines([...lines, { id, event: '', path: '', target: '' }])
  }
  const submit = () => {
    way.go(way.here({ steps: writeSteps(readSteps(JSON.stringify(lines))), name: null }))
  }
  return (
    <Form onSubmit={submit} isSearch>
      {lines.map((line, index) => (
        <Fragment key={line.id}>
          <div className="form-row">
            <EventPicker
              label={words.event(index + 1)}
              value={line.event}
              onChange={(event) => set(line.id, { event })}
            />
            <PagePicker
              label={words.path(index + 1)}
              value={line.path}
              onChange={(path) => set(line.id, { path })}
              placeholder={words.anyPage}
            />
            <div>
              <Button
                look="ghost"
                aria-label={words.removeStep(index + 1)}
                onClick={() => setLines(lines.filter(({ id }) => id !== line.id))}
              >
                {text.acts.remove}
              </Button>
            </div>
          </div>
          {line.target !== '' && <p className="soft small">{words.element(line.target)}</p>}
        </Fragment>
      ))}
      <div className="row">
        <Button onClick={add}>{words.addStep}</Button>
        <Button type="submit" look="primary">
          {words.show}
        </Button>
      </div>
    </Form>
  )
}

const counted = ['session', 'person'] as const
const spans = ['30m', '1d', '7d', '30d'] as const

/** The options of a funnel, stored in the URL. */
function useOptions() {
  const { parameters } = usePlace()
  return {
    order: funnelOrders.find((name) => name === parameters.get('order')) ?? 'in-order',
    breakdown: funnelBreakdowns.find((name) => name === parameters.get('by')),
    by: counted.find((name) => name === parameters.get('counted')) ?? 'session',
    within: spans.find((name) => name === parameters.get('within')) ?? '1d',
  } as const
}

function Options() {
  const way = useWay()
  const { order, breakdown, by, within } = useOptions()
  const words = text.funnels
  return (
    <div className="form-row">
      <SelectField
        label={words.counted}
        value={by}
        choices={counted.map((value) => ({ value, label: words.counts[value] }))}
        onChange={(value) => way.go(way.here({ counted: value === 'session' ? null : value }))}
      />
      <SelectField
        label={words.within}
        value={within}
        choices={spans.map((value) => ({ value, label: words.spans[value] }))}
        onChange={(value) => way.go(way.here({ within: value === '1d' ? null : value }))}
      />
      <SelectField
        label={words.order}
        value={order}
        choices={funnelOrders.map((value) => ({ value, label: words.orders[value] }))}
        onChange={(value) => way.go(way.here({ order: value === 'in-order' ? null : value }))}
      />
      <SelectField
        label={words.breakdown}
        value={breakdown ?? 'none'}
        choices={[
          { value: 'none', label: words.noBreakdown },
          ...funnelBreakdowns.map((value) => ({ value: String(value), label: words.breakdowns[value] })),
        ]}
        onChange={(value) => way.go(way.here({ by: value === 'none' ? null : value }))}
      />
    </div>
  )
}

/** What the address asks, as a report keeps it. */
function useQuestion(steps: FunnelStep[]) {
  const { siteId: _, ...period } = usePeriod()
  const { list } = useFilters()
  const { order, breakdown, by, within } = useOptions()
  const asked = { ...period, filters: [...list], steps, order, by, within }
  return { ...asked, ...(breakdown !== undefined && { breakdown }) }
}

function Result({ steps }: { steps: FunnelStep[] }) {
  const { siteId, parameters } = usePlace()
  const way = useWay()
  const question = useQuestion(steps)
  const result = useRead('queryFunnel', { body: { siteId, ...question } })
  const asked = Number(parameters.get('left'))
  // In any order there is no next step.
  const hasNext = question.order !== 'any-order'
  const openStep = hasNext && asked >= 1 && asked < steps.length ? Math.floor(asked) : null
  const words = text.funnels
  return (
    <Card title={words.result}>
      <Options />
      <Shown of={result}>
        {(data) => (
          <>
            <StepBars
              steps={data.steps}
              openStep={openStep}
              {...(hasNext && {
                onOpen: (step) => way.go(way.here({ left: step === null ? null : String(step) })),
              })}
            />
            {openStep !== null && <DropOff question={question} step={openStep} />}
            {data.breakdown.length > 0 && (
              <Table
                caption={words.breakdown}
                rows={data.breakdown}
                keyOf={({ key }) => key}
                columns={[
                  { title: words.value, cell: ({ key }) => key || text.overview.unknown },
                  {
                    title: words.entered,
                    kind: 'number',
                    cell: ({ entered }) => formatCount(entered[0] ?? 0),
                  },
                  { title: words.rate, kind: 'number', cell: (row) => formatShare(row.conversionRate) },
                ]}
              />
            )}
          </>
        )}
      </Shown>
    </Card>
  )
}
