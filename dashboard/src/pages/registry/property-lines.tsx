import { propertyTypes } from '@assay/contract'
import { Button } from '../../kit/button.tsx'
import { Check, TextField } from '../../kit/field.tsx'
import { Select } from '../../kit/select.tsx'
import { eventText } from '../../text/events.ts'
import {
  type Draft,
  type DraftProperty,
  isTwice,
  retyped,
  withLine,
  withNewLine,
  withoutLine,
} from './draft.ts'
import { RuleLimits } from './rule-limits.tsx'

type LinesProps = { draft: Draft; onChange: (draft: Draft) => void }

export function PropertyLines({ draft, onChange }: LinesProps) {
  return (
    <fieldset className="plain-set stack tight">
      <legend className="label">{eventText.registry.properties}</legend>
      {draft.properties.map((line, index) => (
        <Line key={line.id} line={line} place={index + 1} draft={draft} onChange={onChange} />
      ))}
      <div>
        <Button isCompact onClick={() => onChange(withNewLine(draft))}>
          {eventText.registry.addProperty}
        </Button>
      </div>
    </fieldset>
  )
}

type LineProps = LinesProps & { line: DraftProperty; place: number }

function Line({ line, place, draft, onChange }: LineProps) {
  const { id, name, rule } = line
  const words = eventText.registry
  return (
    <div className="property-line">
      <TextField
        label={words.propertyName(place)}
        isLabelHidden
        isMono
        name={`properties.${name.trim()}`}
        placeholder={words.propertyExample}
        value={name}
        fault={isTwice(draft, name) ? words.twice : null}
        onChange={(next) => onChange(withLine(draft, id, { name: next }))}
      />
      <Select
        name={words.propertyType(place)}
        value={rule.type}
        choices={propertyTypes.map((value) => ({ value, label: words.types[value] }))}
        onChange={(type) => onChange(withLine(draft, id, { rule: retyped(rule, type) }))}
      />
      <Check
        label={words.required}
        isOn={rule.required === true}
        onChange={(required) => onChange(withLine(draft, id, { rule: { ...rule, required } }))}
      />
      <TextField
        label={words.propertyDescription(place)}
        isLabelHidden
        name={`properties.${name.trim()}.description`}
        placeholder={words.description}
        value={rule.description ?? ''}
        onChange={(description) => onChange(withLine(draft, id, { rule: { ...rule, description } }))}
      />
      <Button
        isCompact
        look="ghost"
        aria-label={words.removeProperty(place)}
        onClick={() => onChange(withoutLine(draft, id))}
      >
        ✕
      </Button>
      <RuleLimits
        key={rule.type}
        rule={rule}
        place={place}
        onChange={(limited) => onChange(withLine(draft, id, { rule: limited }))}
      />
    </div>
  )
}
