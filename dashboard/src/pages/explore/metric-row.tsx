import { mathNames, mathTerms, metricNames } from '@assay/contract'
import { useMemo } from 'react'
import { FilterList } from '../../filters/filter-bar.tsx'
import { useGoalItems } from '../../filters/names.ts'
import { useEventItems, useTerms } from '../../filters/terms.ts'
import { Button } from '../../kit/button.tsx'
import { Picker, type PickerGroup } from '../../kit/picker.tsx'
import { Select } from '../../kit/select.tsx'
import { text } from '../../text.ts'
import { FormulaField } from './formula-field.tsx'
import { isReady, type MetricDraft } from './metric-draft.ts'

type MetricRowProps = {
  draft: MetricDraft
  place: number
  onChange: (draft: MetricDraft) => void
  onRemove: (() => void) | null
  fault: string | null
  /** Where no other metric is, that a formula could name. */
  isAlone?: boolean
}

/** One metric: what is measured, and for events how. */
export function MetricRow({ draft, place, onChange, onRemove, fault, isAlone = false }: MetricRowProps) {
  const words = text.explore
  const groups = useMeasures(!isAlone || draft.kind === 'formula')
  const label = words.metric(place)
  const value = draft.kind === 'ready' && draft.of === '' ? '' : `${draft.kind}:${draft.of}`
  return (
    <fieldset className={isAlone ? 'metric-row alone' : 'metric-row'}>
      <legend className="hidden">{label}</legend>
      {!isAlone && (
        <span className="letter" aria-hidden="true">
          {draft.letter}
        </span>
      )}
      <div className="metric-fields">
        <Picker
          label={label}
          isLabelHidden
          value={draft.kind === 'formula' ? 'formula:' : value}
          groups={groups}
          placeholder={words.chooseMetric}
          isFree
          onChange={(chosen) => onChange(measured(draft, chosen))}
        />
        {draft.kind === 'formula' && (
          <FormulaField value={draft.formula} onChange={(formula) => onChange({ ...draft, formula })} />
        )}
        {(draft.kind === 'event' || draft.kind === 'goal') && (
          <MathFields draft={draft} onChange={onChange} />
        )}
      </div>
      {onRemove !== null && (
        <Button look="ghost" isCompact aria-label={words.removeMetric(place)} onClick={onRemove}>
          <span aria-hidden="true">✕</span>
        </Button>
      )}
      {fault !== null && (
        <p className="fault small" role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  )
}

/** Ready metrics, events, goals and a formula, as one list. */
function useMeasures(hasFormula: boolean): readonly PickerGroup[] {
  const events = useEventItems()
  const goals = useGoalItems()
  return useMemo(() => {
    const words = text.explore
    return [
      {
        label: words.measures.ready,
        items: metricNames.map((name) => ({ value: `ready:${name}`, label: words.metrics[name] })),
      },
      {
        label: words.measures.formula,
        items: hasFormula ? [{ value: 'formula:', label: words.formula }] : [],
      },
      {
        label: words.measures.events,
        items: [
          { value: 'event:', label: words.anyEvent },
          ...events.map(({ value, label }) => ({ value: `event:${value}`, label })),
        ],
      },
      {
        label: words.measures.goals,
        items: goals.map(({ value, label }) => ({ value: `goal:${value}`, label })),
      },
    ].filter(({ items }) => items.length > 0)
  }, [events, goals, hasFormula])
}

/** What is typed freely is the name of an event that was not seen recently. */
function measured(draft: MetricDraft, chosen: string): MetricDraft {
  const [, kind = '', of = ''] = /^(ready|event|goal|formula):(.*)$/s.exec(chosen) ?? []
  if (kind === 'ready' && isReady(of)) return { ...draft, kind, of }
  if (kind === 'formula') return { ...draft, kind, of: '' }
  if (kind === 'goal' || kind === 'event') return { ...draft, kind, of }
  return chosen === '' ? { ...draft, kind: 'ready', of: '' } : { ...draft, kind: 'event', of: chosen }
}

type MathFieldsProps = { draft: MetricDraft; onChange: (draft: MetricDraft) => void }

function MathFields({ draft, onChange }: MathFieldsProps) {
  const words = text.explore
  const groups = usePropertyGroups(draft)
  return (
    <>
      <Select
        name={words.math}
        value={draft.math}
        choices={mathNames.map((value) => ({ value, label: words.maths[value] }))}
        onChange={(math) => onChange({ ...draft, math })}
      />
      {mathTerms[draft.math].needsProperty && (
        <Picker
          label={words.property}
          isLabelHidden
          value={draft.property}
          groups={groups}
          placeholder={words.chooseProperty}
          isFree
          onChange={(property) => onChange({ ...draft, property })}
        />
      )}
      <FilterList
        label={words.conditions(draft.letter)}
        addWords={words.addCondition}
        isOfEvents
        placed={draft.where.map((filter) => ({ filter, plain: null }))}
        onChange={(placed) => onChange({ ...draft, where: placed.map(({ filter }) => filter) })}
      />
    </>
  )
}

/** Properties of the event first; numbers alone where something is computed from them. */
function usePropertyGroups({ kind, of, math }: MetricDraft): readonly PickerGroup[] {
  const terms = useTerms()
  return useMemo(() => {
    const fitting = (terms?.properties ?? []).filter(
      ({ types, events }) =>
        (math === 'distinct' || types.length === 0 || types.includes('number') || types.includes('string')) &&
        (kind !== 'event' || of === '' || events.includes(of)),
    )
    const items = fitting.map(({ name, types }) => ({
      value: name.replace(/^property:/, ''),
      label: name.replace(/^property:/, ''),
      hint: types.join(', '),
    }))
    return [{ label: '', items }]
  }, [terms, kind, of, math])
}
