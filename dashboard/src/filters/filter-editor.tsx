import { dimensionOf, type FieldError, type Filter, propertyPrefix } from '@assay/contract'
import { useId, useMemo, useState } from 'react'
import { plainWords } from '../api/problem.ts'
import { Button } from '../kit/button.tsx'
import { SelectField, TextField } from '../kit/field.tsx'
import { Form } from '../kit/form.tsx'
import { ManyPicker } from '../kit/many-picker.tsx'
import { Picker } from '../kit/picker.tsx'
import { text } from '../text.ts'
import { DidFields } from './did-fields.tsx'
import {
  type Draft,
  emptyDraft,
  type FieldsProps,
  faultsIn,
  filterOf,
  isSubject,
  operatorsOf,
  subjects,
  takesOf,
} from './draft.ts'
import { useAudienceItems, useGoalItems } from './names.ts'
import { useDimensionGroups, useTerms, useValueGroups, valueLabel } from './terms.ts'

type FilterEditorProps = {
  initial: Draft
  /** On the button: add or apply. */
  act: string
  onDone: (filter: Filter) => void
  onCancel: () => void
  /** Where only single events can be asked about, such as the conditions of a metric. */
  isOfEvents?: boolean
  /** Makes a group of it, with what is typed as the first condition if that is complete. */
  onGroup?: (parts: readonly Filter[]) => void
}

/** One filter: what it is about, how it compares, and with what. */
export function FilterEditor({
  initial,
  act,
  onDone,
  onCancel,
  isOfEvents = false,
  onGroup,
}: FilterEditorProps) {
  const [draft, setDraft] = useState(initial)
  const faultId = useId()
  const [faults, setFaults] = useState<readonly FieldError[]>([])
  const words = text.filterBar
  const groups = useSubjectGroups(isOfEvents)
  const change = (next: Draft) => {
    setDraft(next)
    setFaults([])
  }
  const submit = () => {
    const filter = filterOf(draft)
    const found = draft.about === '' ? [{ field: '[1]', message: words.chooseAbout }] : faultsIn(filter)
    setFaults(found)
    if (found.length === 0) onDone(filter)
  }
  const faultAt = (...places: string[]) => {
    const found = faults.find(({ field }) =>
      places.some((place) => field === place || field.startsWith(place)),
    )
    return found === undefined ? null : plainWords(found.message)
  }
  const fields = { draft, onChange: change, faultAt, faultId }
  return (
    <Form onSubmit={submit} isSearch>
      <Picker
        label={words.about}
        value={draft.about}
        groups={groups}
        placeholder={words.searchAbout}
        onChange={(about) => change({ ...emptyDraft, about: aboutOf(about) })}
        isFree
        fault={draft.about === '' ? faultAt('[1]') : null}
      />
      {draft.about !== '' && <Fields {...fields} />}
      {draft.about !== '' && faults.length > 0 && (
        <p id={faultId} className="fault small" role="alert">
          {plainWords(faults[0]?.message ?? '')}
        </p>
      )}
      <div className="row end">
        {onGroup !== undefined && <GroupButton draft={draft} onGroup={onGroup} />}
        <Button onClick={onCancel}>{text.acts.cancel}</Button>
        <Button type="submit" look="primary">
          {act}
        </Button>
      </div>
    </Form>
  )
}

type GroupButtonProps = { draft: Draft; onGroup: (parts: readonly Filter[]) => void }

function GroupButton({ draft, onGroup }: GroupButtonProps) {
  const group = () => {
    const filter = filterOf(draft)
    onGroup(draft.about === '' || faultsIn(filter).length > 0 ? [] : [filter])
  }
  return (
    <Button look="ghost" onClick={group}>
      {text.filterBar.group}
    </Button>
  )
}

/** A name that is no dimension is that of a property which was not seen recently. */
const aboutOf = (name: string): string =>
  name === '' || isSubject(name) || dimensionOf(name) !== null ? name : propertyPrefix + name

function Fields(props: FieldsProps) {
  const { about } = props.draft
  if (about === 'did' || about === 'didNot') return <DidFields {...props} />
  if (about === 'inAudience') return <AudienceField {...props} />
  if (about === 'reached') return <GoalField {...props} />
  return <ComparisonFields {...props} />
}

function useSubjectGroups(isOfEvents: boolean) {
  const dimensions = useDimensionGroups()
  return useMemo(() => {
    const words = text.filterBar
    const offered = isOfEvents ? [] : subjects
    const behaviour = offered.map((value) => ({ value, label: words.subjects[value] }))
    return behaviour.length === 0
      ? dimensions
      : [...dimensions, { label: words.groups.behaviour, items: behaviour }]
  }, [dimensions, isOfEvents])
}

function ComparisonFields({ draft, onChange, faultAt, faultId }: FieldsProps) {
  const terms = useTerms()
  const words = text.filterBar
  const property = [...(terms?.properties ?? []), ...(terms?.traits ?? [])].find(
    ({ name }) => name === draft.about,
  )
  const operators = operatorsOf(draft.about, property?.types)
  const offered = operators.includes(draft.operator) ? operators : [...operators, draft.operator]
  const takes = takesOf(draft.operator)
  return (
    <>
      <SelectField
        label={words.operator}
        value={draft.operator}
        choices={offered.map((value) => ({ value, label: words.operators[value] }))}
        onChange={(operator) => onChange({ ...draft, operator })}
      />
      {(takes === 'values' || takes === 'patterns') && (
        <ValuesField {...{ draft, onChange, faultAt, faultId }} />
      )}
      {(takes === 'limit' || takes === 'range') && (
        <TextField
          label={takes === 'range' ? words.lower : words.limit}
          value={draft.limit}
          isRequired
          onChange={(limit) => onChange({ ...draft, limit })}
        />
      )}
      {takes === 'range' && (
        <TextField
          label={words.upper}
          value={draft.upper}
          isRequired
          onChange={(upper) => onChange({ ...draft, upper })}
        />
      )}
    </>
  )
}

function ValuesField({ draft, onChange, faultAt, faultId }: FieldsProps) {
  const { groups, isLoading, onSearch } = useValueGroups(isSubject(draft.about) ? '' : draft.about)
  const isExact = draft.operator === 'is' || draft.operator === 'isNot'
  return (
    <ManyPicker
      label={text.filterBar.values}
      values={draft.values}
      groups={groups}
      isLoading={isLoading}
      {...(onSearch !== undefined && { onSearch })}
      isFree
      isTypedFirst={!isExact}
      labelOf={(value) => valueLabel(draft.about, value)}
      placeholder={isExact ? text.filterBar.searchValues : text.filterBar.typeValues}
      onChange={(values) => onChange({ ...draft, values })}
      faultId={faultAt('[2]') === null ? null : faultId}
    />
  )
}

function AudienceField({ draft, onChange, faultAt, faultId }: FieldsProps) {
  const items = useAudienceItems()
  return (
    <IdsField label={text.filterBar.audiences} items={items} {...{ draft, onChange, faultAt, faultId }} />
  )
}

function GoalField({ draft, onChange, faultAt, faultId }: FieldsProps) {
  const items = useGoalItems()
  return <IdsField label={text.filterBar.goals} items={items} {...{ draft, onChange, faultAt, faultId }} />
}

type IdsProps = FieldsProps & { label: string; items: readonly { value: string; label: string }[] }

function IdsField({ label, items, draft, onChange, faultAt, faultId }: IdsProps) {
  const groups = useMemo(() => [{ label: '', items }], [items])
  return (
    <ManyPicker
      label={label}
      values={draft.values}
      groups={groups}
      labelOf={(id) => items.find(({ value }) => value === id)?.label ?? id}
      onChange={(values) => onChange({ ...draft, values })}
      faultId={faultAt('[1]') === null ? null : faultId}
    />
  )
}
