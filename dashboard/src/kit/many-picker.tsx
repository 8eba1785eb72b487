import { Combobox } from '@base-ui/react/combobox'
import { useId, useMemo, useState } from 'react'
import { text } from '../text.ts'
import { fits } from './picker.tsx'
import { type PickerGroup, type PickerItem, PickerList, withTyped } from './picker-list.tsx'

type ManyPickerProps = {
  label: string
  values: readonly string[]
  groups: readonly PickerGroup[]
  onChange: (values: readonly string[]) => void
  /** Where the choices are searched by the server; without it they are searched here. */
  onSearch?: (typed: string) => void
  /** What is typed may be none of the choices. */
  isFree?: boolean
  /** Enter takes what is typed, and not the first choice that contains it. */
  isTypedFirst?: boolean
  isLoading?: boolean
  isLabelHidden?: boolean
  labelOf?: (value: string) => string
  placeholder?: string
  /** More are not taken. */
  max?: number
  /** Where the form says what is wrong with it; null where nothing is. */
  faultId?: string | null
}

/** Several of many, each a chip that is removed with Backspace. */
export function ManyPicker({ label, values, groups, onChange, labelOf = same, ...more }: ManyPickerProps) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const {
    isFree = false,
    isTypedFirst = false,
    onSearch,
    faultId = null,
    max = Number.POSITIVE_INFINITY,
  } = more
  const items = useMemo(() => {
    const known = groups.flatMap((group) => group.items)
    const others = values
      .filter((value) => !known.some((item) => item.value === value))
      .map((value) => ({ value, label: labelOf(value) }))
    const all = others.length === 0 ? groups : [...groups, { label: '', items: others }]
    return withTyped(all, isFree ? typed : '', '', isTypedFirst)
  }, [groups, values, typed, isFree, isTypedFirst, labelOf])
  const chosen = useMemo(() => values.map((value) => ({ value, label: labelOf(value) })), [values, labelOf])
  return (
    <Combobox.Root<PickerItem, true>
      multiple
      items={items}
      value={chosen}
      inputValue={typed}
      onValueChange={(picked) => {
        onChange(picked.map(({ value }) => value).slice(0, max))
        setTyped('')
        onSearch?.('')
      }}
      onInputValueChange={(next) => {
        setTyped(next)
        onSearch?.(next)
      }}
      isItemEqualToValue={(one, other) => one.value === other.value}
      filter={(item, query) => fits(item, query)}
      autoHighlight
    >
      <div className="field">
        <label htmlFor={id} className={more.isLabelHidden === true ? 'hidden' : undefined}>
          {label}
        </label>
        <Combobox.InputGroup>
          <Combobox.Chips className="picker many">
            {chosen.map((item) => (
              <Combobox.Chip key={item.value} className="picker-chip" aria-label={item.label}>
                <span>{item.label}</span>
                <Combobox.ChipRemove aria-label={text.picker.remove(item.label)}>✕</Combobox.ChipRemove>
              </Combobox.Chip>
            ))}
            <Combobox.Input
              id={id}
              placeholder={values.length === 0 ? (more.placeholder ?? text.picker.choose) : ''}
              {...(faultId !== null && { 'aria-invalid': true, 'aria-describedby': faultId })}
            />
          </Combobox.Chips>
        </Combobox.InputGroup>
      </div>
      <PickerList isLoading={more.isLoading ?? false} />
    </Combobox.Root>
  )
}

const same = (value: string) => value
