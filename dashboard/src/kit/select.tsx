import { Select as Base } from '@base-ui/react/select'
import { Check, ChevronDown } from 'lucide-react'

export type Choice<Value extends string> = { value: Value; label: string }

type SelectProps<Value extends string> = {
  value: Value
  choices: readonly Choice<Value>[]
  onChange: (value: Value) => void
  /** From its field: id, description and fault. */
  ids?: object
  /** Where no label is seen. */
  name?: string
}

/** One of a few. Letters find a choice, as in every list of the system. */
export function Select<Value extends string>({ ids, name, value, choices, onChange }: SelectProps<Value>) {
  const change = (next: Value | null) => {
    if (next !== null && next !== value) onChange(next)
  }
  return (
    <Base.Root items={choices} value={value} onValueChange={change} modal={false}>
      <Base.Trigger {...ids} className="select" aria-label={name}>
        <Base.Value className="select-value" />
        <Base.Icon>
          <ChevronDown className="icon" aria-hidden="true" />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="menu-place" sideOffset={4} alignItemWithTrigger={false}>
          <Base.Popup className="menu select-menu">
            <Base.List>
              {choices.map((choice) => (
                <Base.Item key={choice.value} value={choice.value} className="menu-item">
                  <Base.ItemText className="grow">{choice.label}</Base.ItemText>
                  <Base.ItemIndicator>
                    <Check className="icon" aria-hidden="true" />
                  </Base.ItemIndicator>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
