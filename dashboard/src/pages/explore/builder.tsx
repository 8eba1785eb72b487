import { dimensionsMax, metricsMax } from '@assay/contract'
import { useId } from 'react'
import { FilterBar } from '../../filters/filter-bar.tsx'
import { dimensionLabel, useDimensionGroups } from '../../filters/terms.ts'
import { Button } from '../../kit/button.tsx'
import { Card } from '../../kit/card.tsx'
import { ManyPicker } from '../../kit/many-picker.tsx'
import { text } from '../../text.ts'
import { metricOf, newMetric } from './metric-draft.ts'
import { MetricRow } from './metric-row.tsx'
import { type Asked, completeMetrics } from './question.ts'

export type FaultAt = (member: string) => string | null

type BuilderProps = { asked: Asked; onChange: (asked: Asked) => void; faultAt: FaultAt }

/** What is asked: metrics, groups and filters. Every change is asked at once. */
export function Builder({ asked, onChange, faultAt }: BuilderProps) {
  const words = text.explore
  const { metrics, by } = asked
  const groups = useDimensionGroups()
  const byFaultId = useId()
  // The question has the complete lines alone, and the API counts those.
  const faultOf = (index: number) => {
    const place = completeMetrics(metrics.slice(0, index)).length
    return metricOf(metrics[index] ?? newMetric([]), metrics) === null ? null : faultAt(`metrics[${place}]`)
  }
  return (
    <Card>
      <div className="builder">
        <section className="builder-part" aria-label={words.metricsTitle}>
          <h2 className="builder-title">{words.metricsTitle}</h2>
          {metrics.map((draft, index) => (
            <MetricRow
              key={draft.letter}
              draft={draft}
              place={index + 1}
              fault={faultOf(index)}
              onChange={(next) =>
                onChange({ ...asked, metrics: metrics.map((one, at) => (at === index ? next : one)) })
              }
              onRemove={
                metrics.length < 2
                  ? null
                  : () => onChange({ ...asked, metrics: metrics.filter((_, at) => at !== index) })
              }
            />
          ))}
          {metrics.length < metricsMax && (
            <div>
              <Button
                look="ghost"
                isCompact
                onClick={() => onChange({ ...asked, metrics: [...metrics, newMetric(metrics)] })}
              >
                <span aria-hidden="true">+</span> {words.addMetric}
              </Button>
            </div>
          )}
        </section>
        <section className="builder-part" aria-label={words.by}>
          <h2 className="builder-title">{words.by}</h2>
          <ManyPicker
            label={words.by}
            isLabelHidden
            values={by}
            groups={groups}
            max={dimensionsMax}
            labelOf={dimensionLabel}
            placeholder={words.chooseBy}
            onChange={(next) => onChange({ ...asked, by: next })}
            faultId={faultAt('dimensions') === null ? null : byFaultId}
          />
          <Fault id={byFaultId} of={faultAt('dimensions')} />
          <h2 className="builder-title">{text.filters.title}</h2>
          <FilterBar />
          <Fault of={faultAt('filters')} />
        </section>
      </div>
    </Card>
  )
}

function Fault({ of, id }: { of: string | null; id?: string }) {
  if (of === null) return null
  return (
    <p id={id} className="fault small" role="alert">
      {of}
    </p>
  )
}
