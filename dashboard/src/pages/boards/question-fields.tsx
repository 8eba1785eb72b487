import { dimensionsMax, metricsMax } from '@assay/contract'
import { useMemo } from 'react'
import { dimensionLabel, useDimensionGroups, useEventItems, useValueGroups } from '../../filters/terms.ts'
import { Button } from '../../kit/button.tsx'
import { SelectField } from '../../kit/field.tsx'
import { ManyPicker } from '../../kit/many-picker.tsx'
import { Picker, type PickerGroup } from '../../kit/picker.tsx'
import { text } from '../../text.ts'
import { newMetric } from '../explore/metric-draft.ts'
import { MetricRow } from '../explore/metric-row.tsx'
import { kindChoices } from './tile-body.tsx'
import { funnelStepsMax, type TileDraft, tileViews } from './tile-draft.ts'

type FieldsProps = { draft: TileDraft; onChange: (draft: TileDraft) => void }

/** What a question of a tile asks, by its kind. */
export function QuestionFields({ draft, onChange }: FieldsProps) {
  const words = text.boards
  return (
    <>
      <div className="form-row">
        <SelectField
          label={words.kind}
          value={draft.kind}
          choices={kindChoices}
          onChange={(kind) => onChange({ ...draft, kind })}
        />
        {draft.kind === 'query' && (
          <SelectField
            label={words.view}
            value={draft.view}
            choices={tileViews.map((value) => ({ value, label: text.explore.views[value] }))}
            onChange={(view) => onChange({ ...draft, view })}
          />
        )}
      </div>
      {draft.kind === 'query' && <QueryFields draft={draft} onChange={onChange} />}
      {draft.kind === 'funnel' && <StepFields draft={draft} onChange={onChange} />}
      {draft.kind === 'retention' && <ReturnFields draft={draft} onChange={onChange} />}
    </>
  )
}

function QueryFields({ draft, onChange }: FieldsProps) {
  const words = text.boards
  const groups = useDimensionGroups()
  const { metrics, by } = draft
  return (
    <>
      {metrics.map((metric, index) => (
        <MetricRow
          key={metric.letter}
          draft={metric}
          place={index + 1}
          fault={null}
          onChange={(next) =>
            onChange({ ...draft, metrics: metrics.map((one, at) => (at === index ? next : one)) })
          }
          onRemove={
            metrics.length < 2
              ? null
              : () => onChange({ ...draft, metrics: metrics.filter((_, at) => at !== index) })
          }
        />
      ))}
      {metrics.length < metricsMax && (
        <div>
          <Button
            isCompact
            look="ghost"
            onClick={() => onChange({ ...draft, metrics: [...metrics, newMetric(metrics)] })}
          >
            + {text.explore.addMetric}
          </Button>
        </div>
      )}
      {draft.view !== 'number' && (
        <ManyPicker
          label={words.by}
          values={by}
          groups={groups}
          max={dimensionsMax}
          labelOf={dimensionLabel}
          placeholder={text.explore.chooseBy}
          onChange={(next) => onChange({ ...draft, by: next })}
        />
      )}
    </>
  )
}

/** Events and visited pages: what a step can be. */
function useStepGroups(): readonly PickerGroup[] {
  const events = useEventItems()
  const { groups } = useValueGroups('page')
  return useMemo(
    () => [
      { label: text.filterBar.groups.events, items: events },
      { label: text.filterBar.groups.pages, items: groups.flatMap(({ items }) => items) },
    ],
    [events, groups],
  )
}

function StepFields({ draft, onChange }: FieldsProps) {
  const words = text.boards
  const groups = useStepGroups()
  const { steps } = draft
  return (
    <fieldset className="plain-set stack tight">
      <legend className="label">{words.steps}</legend>
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is known by its place; the same one may come twice
        <div key={index} className="row step-line">
          <Picker
            label={words.step(index + 1)}
            isLabelHidden
            value={step}
            groups={groups}
            isFree
            placeholder={words.step(index + 1)}
            onChange={(next) =>
              onChange({ ...draft, steps: steps.map((one, at) => (at === index ? next : one)) })
            }
          />
          {steps.length > 2 && (
            <Button
              isCompact
              look="ghost"
              aria-label={words.removeStep(index + 1)}
              onClick={() => onChange({ ...draft, steps: steps.filter((_, at) => at !== index) })}
            >
              <span aria-hidden="true">✕</span>
            </Button>
          )}
        </div>
      ))}
      {steps.length < funnelStepsMax && (
        <div>
          <Button isCompact look="ghost" onClick={() => onChange({ ...draft, steps: [...steps, ''] })}>
            + {words.addStep}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

function ReturnFields({ draft, onChange }: FieldsProps) {
  const words = text.boards
  const groups = [{ label: '', items: useEventItems() }]
  return (
    <div className="form-row">
      <Picker
        label={words.firstEvent}
        value={draft.firstEvent}
        groups={groups}
        isFree
        placeholder={words.anyEvent}
        onChange={(firstEvent) => onChange({ ...draft, firstEvent })}
      />
      <Picker
        label={words.returnEvent}
        value={draft.returnEvent}
        groups={groups}
        isFree
        placeholder={words.anyEvent}
        onChange={(returnEvent) => onChange({ ...draft, returnEvent })}
      />
    </div>
  )
}
