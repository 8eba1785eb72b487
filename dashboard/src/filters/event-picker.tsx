import { useMemo } from 'react'
import { Picker } from '../kit/picker.tsx'
import { text } from '../text.ts'
import { useEventItems } from './terms.ts'

type EventPickerProps = {
  label: string
  /** Empty: any event. */
  value: string
  onChange: (value: string) => void
  isRequired?: boolean
}

/** An event of the site, found by typing; one that was not seen yet can be typed. */
export function EventPicker({ isRequired = false, ...props }: EventPickerProps) {
  const items = useEventItems()
  const groups = useMemo(() => [{ label: text.filterBar.groups.events, items }], [items])
  const placeholder = isRequired ? text.picker.choose : text.retention.any
  return <Picker {...props} {...{ groups, placeholder, isRequired }} isFree />
}
