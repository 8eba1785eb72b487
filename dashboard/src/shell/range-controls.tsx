import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { type Choice, Select, TextField } from '../kit/field.tsx'
import { Form } from '../kit/form.tsx'
import { text } from '../text.ts'
import type { PageEntry } from './pages.ts'
import { usePlace, useWay } from './place.ts'
import { defaultWindow, windows } from './range.ts'
import { useSession } from './session.ts'

const custom = 'custom'

/** Time range, comparison and time zone, all of which stand in the address. */
export function RangeControls({ range }: { range: NonNullable<PageEntry['range']> }) {
  const { parameters } = usePlace()
  const { site } = useSession()
  const way = useWay()
  const [isChoosing, setChoosing] = useState(false)
  const [from, to] = [parameters.get('from') ?? '', parameters.get('to') ?? '']
  const isCustom = range !== 'window' && (isChoosing || (from !== '' && to !== ''))
  const shown = isCustom ? custom : (parameters.get('window') ?? defaultWindow)
  const change = (value: string) => {
    setChoosing(value === custom)
    if (value !== custom) way.go(way.here({ window: value, from: null, to: null }))
  }
  return (
    <div className="row range">
      <Select
        name={text.range.title}
        value={shown}
        choices={rangeChoices(shown, range !== 'window')}
        onChange={change}
      />
      {isCustom && <Days key={`${from} ${to}`} from={from} to={to} onDone={() => setChoosing(false)} />}
      {range === 'comparison' && (
        <Select
          name={text.range.comparison}
          value={parameters.get('compare') === 'none' ? 'none' : 'previous'}
          choices={[
            { value: 'previous', label: text.range.previous },
            { value: 'none', label: text.range.none },
          ]}
          onChange={(value) => way.go(way.here({ compare: value === 'none' ? 'none' : null }))}
        />
      )}
      {range !== 'window' && (
        <Select
          name={text.range.timezone}
          value={parameters.get('timezone') ?? site.timezone}
          choices={zoneChoices(site.timezone, parameters.get('timezone'))}
          onChange={(zone) => way.go(way.here({ timezone: zone === site.timezone ? null : zone }))}
        />
      )}
    </div>
  )
}

function rangeChoices(shown: string, isFree: boolean): Choice<string>[] {
  const known = windows.map((value) => ({ value: String(value), label: text.range.windows[value] }))
  const others = shown === custom || windows.some((value) => value === shown) ? [] : [shown]
  const unusual = others.map((value) => ({
    value,
    label: /^\d+d$/.test(value) ? text.range.days(value.replace('d', '')) : value,
  }))
  return [...known, ...unusual, ...(isFree ? [{ value: custom, label: text.range.custom }] : [])]
}

function zoneChoices(ofSite: string, chosen: string | null): Choice<string>[] {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const zones = [...new Set([ofSite, own, 'UTC', ...(chosen === null ? [] : [chosen])])]
  return zones.map((zone) => ({ value: zone, label: zone === ofSite ? text.range.ofSite(zone) : zone }))
}

function Days({ from, to, onDone }: { from: string; to: string; onDone: () => void }) {
  const way = useWay()
  const [days, setDays] = useState({ from, to })
  const submit = () => {
    onDone()
    way.go(way.here({ window: null, ...days }))
  }
  return (
    <Form className="row" onSubmit={submit} isSearch>
      <TextField
        label={text.range.from}
        type="date"
        value={days.from}
        onChange={(value) => setDays({ ...days, from: value })}
        isRequired
      />
      <TextField
        label={text.range.to}
        type="date"
        value={days.to}
        fault={days.to < days.from ? text.form.dayOrder : null}
        onChange={(value) => setDays({ ...days, to: value })}
        isRequired
      />
      <Button type="submit">{text.range.show}</Button>
    </Form>
  )
}
