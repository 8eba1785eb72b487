import { type AlertDirection, alertIntervals, alertSensitivities } from '@assay/contract'
import { readNumber } from '../../format.ts'
import { SelectField, TextField } from '../../kit/field.tsx'
import { text } from '../../text.ts'
import { type AlertDraft, conditionTypes } from './alert-draft.ts'

type FieldsProps = { draft: AlertDraft; onChange: (draft: AlertDraft) => void }

const directions: readonly AlertDirection[] = ['either', 'up', 'down']

/** How often it is judged, and when it fires. */
export function ConditionFields({ draft, onChange }: FieldsProps) {
  const words = text.alerts
  const change = (next: Partial<AlertDraft>) => onChange({ ...draft, ...next })
  return (
    <div className="form-row">
      <SelectField
        label={words.interval}
        value={draft.interval}
        choices={alertIntervals.map((value) => ({ value, label: words.intervals[value] }))}
        onChange={(interval) => change({ interval })}
      />
      <SelectField
        label={words.type}
        value={draft.type}
        choices={conditionTypes.map((value) => ({ value, label: words.types[value] }))}
        onChange={(type) => change({ type })}
      />
      {(draft.type === 'above' || draft.type === 'below') && (
        <TextField
          label={words.value}
          name="condition.value"
          value={draft.value}
          isRequired
          isNumber
          hint={words.valueHint}
          onChange={(value) => change({ value })}
        />
      )}
      {draft.type === 'changedBy' && (
        <>
          <TextField
            label={words.share}
            name="condition.share"
            value={draft.percent}
            isRequired
            isNumber
            fault={percentFault(draft.percent)}
            onChange={(percent) => change({ percent })}
          />
          <SelectField
            label={words.direction}
            value={draft.direction}
            choices={directions.map((value) => ({ value, label: words.directions[value] }))}
            onChange={(direction) => change({ direction })}
          />
        </>
      )}
      {draft.type === 'unusual' && (
        <SelectField
          label={words.sensitivity}
          value={draft.sensitivity}
          choices={alertSensitivities.map((value) => ({ value, label: words.sensitivities[value] }))}
          onChange={(sensitivity) => change({ sensitivity })}
        />
      )}
    </div>
  )
}

function percentFault(percent: string): string | null {
  const number = readNumber(percent)
  if (number === null) return null
  if (number < 1) return text.form.orMore('1')
  return number > 10_000 ? text.form.orLess('10000') : null
}
