import { useMemo } from 'react'
import { Picker } from '../kit/picker.tsx'
import { text } from '../text.ts'
import { useEventItems } from './terms.ts'

type EventPickerProps = {
  label: string
  /** Empty: any event. */
  value: string
  onChange: (value: string) => void
}

/** An event of the site, found by typing; one that was not seen yet can be typed. */
export function EventPicker(props: EventPickerProps) {
  const items = useEventItems()
  const groups = useMemo(() => [{ label: text.filterBar.groups.events, items }], [items])
  return <Picker {...props} groups={groups} placeholder={text.retention.any} isFree />
}
