import { Select } from '../../kit/select.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { watchText } from '../../text/watch.ts'
import { dayChoices, healthDays } from './days.ts'

export function DaysSelect() {
  const { parameters } = usePlace()
  const way = useWay()
  const words = watchText.eventHealth
  return (
    <Select
      name={words.dayChoice}
      value={String(healthDays(parameters))}
      choices={dayChoices.map((days) => ({ value: String(days), label: words.lastDays(days) }))}
      onChange={(days) => way.go(way.here({ days }))}
    />
  )
}
