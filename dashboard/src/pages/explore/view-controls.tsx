import { Toggle } from '@base-ui/react/toggle'
import { ToggleGroup } from '@base-ui/react/toggle-group'
import type { Interval } from '../../format.ts'
import { Select } from '../../kit/select.tsx'
import { usePlace } from '../../shell/place.ts'
import { daysOf } from '../../shell/range.ts'
import { text } from '../../text.ts'
import { answerName } from './metric-draft.ts'
import { type Asked, intervals, isChart, limits, modes, usualInterval, type View, views } from './question.ts'

type ViewControlsProps = {
  asked: Asked
  onChange: (asked: Asked) => void
  labelOf: (name: string) => string
}

/** How the answer is shown. */
export function ViewControls({ asked, onChange, labelOf }: ViewControlsProps) {
  const words = text.explore
  return (
    <div className="row">
      <ToggleGroup
        className="toggles"
        aria-label={words.view}
        value={[asked.view]}
        onValueChange={([view]: View[]) => {
          if (view !== undefined) onChange({ ...asked, view })
        }}
      >
        {views.map((view) => (
          <Toggle key={view} value={view} className="toggle">
            {words.views[view]}
          </Toggle>
        ))}
      </ToggleGroup>
      {isChart(asked.view) && <TimeControls {...{ asked, onChange }} />}
      {asked.view === 'table' && asked.by.length > 0 && <TableControls {...{ asked, onChange, labelOf }} />}
    </div>
  )
}

/** More points than that are a block of ink. */
const hourDaysMax = 31

function TimeControls({ asked, onChange }: Omit<ViewControlsProps, 'labelOf'>) {
  const { parameters } = usePlace()
  const words = text.explore
  const shown = asked.interval ?? usualInterval(parameters)
  const offered = intervals.filter(
    (unit) => unit === shown || unit !== 'hour' || daysOf(parameters) <= hourDaysMax,
  )
  return (
    <>
      <Select
        name={words.interval}
        value={shown}
        choices={offered.map((value) => ({ value, label: words.intervals[value] }))}
        onChange={(interval: Interval) => onChange({ ...asked, interval })}
      />
      <Select
        name={words.mode}
        value={asked.mode}
        choices={modes.map((value) => ({ value, label: words.modes[value] }))}
        onChange={(mode) => onChange({ ...asked, mode })}
      />
    </>
  )
}

function TableControls({ asked, onChange, labelOf }: ViewControlsProps) {
  const words = text.explore
  const names = asked.metrics.map(answerName).filter((name) => name !== '')
  const orders = names.flatMap((name) => [
    { value: `${name}:desc`, label: words.highest(labelOf(name)) },
    { value: `${name}:asc`, label: words.lowest(labelOf(name)) },
  ])
  const shown = orders.find(({ value }) => value === asked.order)?.value ?? orders[0]?.value ?? ''
  return (
    <>
      <Select
        name={words.order}
        value={shown}
        choices={orders}
        onChange={(order) => onChange({ ...asked, order })}
      />
      <Select
        name={words.rows}
        value={String(asked.limit)}
        choices={[...new Set([...limits, asked.limit])].map((value) => ({
          value: String(value),
          label: words.rowCount(value),
        }))}
        onChange={(limit) => onChange({ ...asked, limit: Number(limit) })}
      />
    </>
  )
}
