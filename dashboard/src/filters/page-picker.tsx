import { Picker } from '../kit/picker.tsx'
import { useValueGroups } from './terms.ts'

type PagePickerProps = {
  label: string
  /** Empty: any page. */
  value: string
  onChange: (value: string) => void
  placeholder: string
}

/** A visited page, found by typing; a pattern such as `/product/:id` can be typed. */
export function PagePicker(props: PagePickerProps) {
  const { groups, isLoading } = useValueGroups('page')
  return <Picker {...props} groups={groups} isLoading={isLoading} isFree />
}
