import { countOperators } from '@assay/contract'
import { SelectField, TextField } from '../kit/field.tsx'
import { Picker } from '../kit/picker.tsx'
import { text } from '../text.ts'
import type { FieldsProps } from './draft.ts'
import { useEventItems } from './terms.ts'

const spans = ['', '7d', '30d', '90d', '365d']

/** What a person did or did not do: which event, how often, and in which time. */
export function DidFields({ draft, onChange, faultAt }: FieldsProps) {
  const events = useEventItems()
  const words = text.filterBar
  const offered = spans.includes(draft.within) ? spans : [...spans, draft.within]
  return (
    <>
      <Picker
        label={words.event}
        value={draft.event}
        groups={[{ label: '', items: events }]}
        onChange={(event) => onChange({ ...draft, event })}
        isFree
        fault={faultAt('[1].event') === null ? null : text.form.needed}
      />
      <div className="form-row">
        <SelectField
          label={words.often}
          value={draft.count}
          choices={countOperators.map((value) => ({ value, label: words.counts[value] }))}
          onChange={(count) => onChange({ ...draft, count })}
        />
        <TextField
          label={words.timesLabel}
          value={draft.times}
          isNumber
          isRequired
          onChange={(times) => onChange({ ...draft, times })}
        />
      </div>
      <SelectField
        label={words.span}
        value={draft.within}
        choices={offered.map((value) => ({
          value,
          label: value === '' ? words.inPeriod : words.within(value),
        }))}
        onChange={(within) => onChange({ ...draft, within })}
      />
    </>
  )
}
