import { Combobox } from '@base-ui/react/combobox'
import { ChevronDown } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { text } from '../text.ts'
import { useForm } from './form-state.ts'
import { type PickerGroup, type PickerItem, PickerList, withTyped } from './picker-list.tsx'

export type { PickerGroup, PickerItem } from './picker-list.tsx'

type PickerProps = {
  label: string
  value: string
  groups: readonly PickerGroup[]
  onChange: (value: string) => void
  placeholder?: string
  /** What is typed may be none of the choices. */
  isFree?: boolean
  isLabelHidden?: boolean
  isLoading?: boolean
  /** What is wrong with it. */
  fault?: string | null | undefined
  isRequired?: boolean
}

/** One of many, found by typing. */
export function Picker({
  label,
  value,
  groups,
  onChange,
  isFree = false,
  isLoading = false,
  ...more
}: PickerProps) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const written = isFree ? typed : ''
  const items = useMemo(() => withTyped(groups, written, value), [groups, written, value])
  const found = items.flatMap((group) => group.items).find((item) => item.value === value)
  const name = found?.label ?? value
  // The same one while suggestions come in: another would put its name in place of what is being typed.
  const chosen = useMemo(() => (value === '' ? null : { value, label: name }), [value, name])
  /** What was typed is meant, also by who leaves the field without choosing it from the list. */
  const keepTyped = (): boolean => {
    const meant = written.trim()
    if (meant === '') return false
    onChange(meant)
    setTyped('')
    return true
  }
  const ofForm = useForm()?.faults.get(id)
  const fault = more.fault ?? ofForm
  return (
    <Combobox.Root<PickerItem>
      items={items}
      value={chosen}
      onValueChange={(item) => onChange(item?.value ?? '')}
      onInputValueChange={(next, { reason }) => setTyped(reason === 'input-change' ? next : '')}
      isItemEqualToValue={(one, other) => one.value === other.value}
      filter={fits}
      autoHighlight
    >
      <div className="field">
        <label htmlFor={id} className={more.isLabelHidden === true ? 'hidden' : undefined}>
          {label}
        </label>
        <Combobox.InputGroup className="picker">
          <Combobox.Input
            id={id}
            placeholder={more.placeholder ?? text.picker.choose}
            onBlur={({ relatedTarget }) => {
              if (relatedTarget?.closest('.picker-popup') == null) keepTyped()
            }}
            onKeyDown={(event) => {
              // With a marked choice Enter takes that one.
              const isMarked = event.currentTarget.hasAttribute('aria-activedescendant')
              if (event.key === 'Enter' && !isMarked && keepTyped()) event.preventDefault()
            }}
            required={more.isRequired ?? false}
            {...(typeof fault === 'string' && { 'aria-invalid': true, 'aria-describedby': `${id}-fault` })}
          />
          <Combobox.Trigger className="picker-open" aria-label={text.picker.open(label)} tabIndex={-1}>
            <ChevronDown className="icon" aria-hidden="true" />
          </Combobox.Trigger>
        </Combobox.InputGroup>
        {typeof fault === 'string' && (
          <span id={`${id}-fault`} className="fault small">
            {fault}
          </span>
        )}
      </div>
      <PickerList isLoading={isLoading} />
    </Combobox.Root>
  )
}

/** By what is shown, by what is meant, and by what is said about it. */
export function fits({ label, value, hint = '' }: PickerItem, query: string): boolean {
  const sought = query.trim().toLowerCase()
  return [label, value, hint].some((part) => part.toLowerCase().includes(sought))
}
