import { Popover } from '@base-ui/react/popover'
import { CalendarDays, ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { now } from '../clock.ts'
import { type Choice, Select } from '../kit/select.tsx'
import { text } from '../text.ts'
import { usePlace, useWay } from './place.ts'
import {
  type Comparison,
  comparisonOf,
  daysLabel,
  defaultWindow,
  isWithinYear,
  overviewComparison,
  type RangeKind,
  windows,
  writtenComparison,
} from './range.ts'
import { RangeDays } from './range-days.tsx'
import { dayIn, presetsAt, windowLabel } from './range-presets.ts'
import { useSession } from './session.ts'

type RangeProps = {
  range: RangeKind
  /** What is shown in words while the address names no time; the usual window unless said. */
  unset?: string
}

/** Time range, comparison and time zone, all of which stand in the address. */
export function RangeControls({ range, unset = windowLabel(defaultWindow) }: RangeProps) {
  const { parameters } = usePlace()
  return (
    <div className="range">
      {range === 'comparison' && <ComparisonSelect shown={overviewComparison(parameters)} />}
      {range === 'anyComparison' && <ComparisonSelect shown={comparisonOf(parameters)} />}
      <RangePopover range={range} unset={unset} />
    </div>
  )
}

/** The year before only where it does not reach into the period itself. */
function ComparisonSelect({ shown }: { shown: Comparison }) {
  const { parameters } = usePlace()
  const way = useWay()
  const words = text.range.comparisons
  const value = writtenComparison(shown) ?? 'previous'
  const choices: Choice<string>[] = [
    { value: 'previous', label: words.previous },
    ...(isWithinYear(parameters) || shown === 'year' ? [{ value: 'year', label: words.year }] : []),
    ...(typeof shown === 'object' && shown !== null ? [{ value, label: words.days(daysLabel(shown)) }] : []),
    { value: 'none', label: words.none },
  ]
  return (
    <Select
      name={text.range.comparison}
      value={value}
      choices={choices}
      onChange={(chosen) => way.go(way.here({ compare: chosen === 'previous' ? null : chosen }))}
    />
  )
}

function RangePopover({ range, unset }: Required<RangeProps>) {
  const [isOpen, setOpen] = useState(false)
  const { parameters } = usePlace()
  const { site } = useSession()
  const zone = parameters.get('timezone') ?? site.timezone
  const today = dayIn(zone, now())
  const shown = rangeLabel(parameters, today, unset)
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className="select" aria-label={`${text.range.title}: ${shown}`}>
        <CalendarDays className="icon" aria-hidden="true" />
        <span className="select-value">{shown}</span>
        <ChevronDown className="icon" aria-hidden="true" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="menu-place" align="end" sideOffset={6}>
          <Popover.Popup className="menu range-menu" aria-label={text.range.title}>
            <Presets range={range} shown={shown} today={today} onDone={() => setOpen(false)} />
            {range !== 'window' && (
              <div className="stack">
                <RangeDays today={today} onDone={() => setOpen(false)} />
                <Zone />
              </div>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

/** In words what the address asks for. */
function rangeLabel(parameters: URLSearchParams, today: string, unset: string): string {
  const [from, to] = [parameters.get('from') ?? '', parameters.get('to') ?? '']
  const window = parameters.get('window')
  if (from === '' || to === '') return window === null ? unset : windowLabel(window)
  const preset = presetsAt(today).find(({ changes }) => changes.from === from && changes.to === to)
  if (preset !== undefined) return preset.label
  return daysLabel({ from, to })
}

type PresetsProps = { range: RangeKind; shown: string; today: string; onDone: () => void }

function Presets({ range, shown, today, onDone }: PresetsProps) {
  const way = useWay()
  const rolling = windows.map((window) => ({
    key: window,
    label: windowLabel(window),
    changes: { window, from: null, to: null },
  }))
  const presets = range === 'window' ? rolling : [...rolling, ...presetsAt(today)]
  return (
    <ul className="presets">
      {presets.map(({ key, label, changes }) => (
        <li key={key}>
          <button
            type="button"
            className="menu-item"
            aria-pressed={label === shown}
            onClick={() => {
              onDone()
              way.go(way.here(changes))
            }}
          >
            {label}
          </button>
        </li>
      ))}
    </ul>
  )
}

function Zone() {
  const { parameters } = usePlace()
  const { site } = useSession()
  const way = useWay()
  return (
    <Select
      name={text.range.timezone}
      value={parameters.get('timezone') ?? site.timezone}
      choices={zoneChoices(site.timezone, parameters.get('timezone'))}
      onChange={(zone) => way.go(way.here({ timezone: zone === site.timezone ? null : zone }))}
    />
  )
}

function zoneChoices(ofSite: string, chosen: string | null): Choice<string>[] {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const zones = [...new Set([ofSite, own, 'UTC', ...(chosen === null ? [] : [chosen])])]
  return zones.map((zone) => ({ value: zone, label: zone === ofSite ? text.range.ofSite(zone) : zone }))
}
