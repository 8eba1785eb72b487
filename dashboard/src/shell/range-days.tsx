import { readDaysMax } from '@assay/contract'
import { Suspense, useState } from 'react'
import { formatDayOnly } from '../format.ts'
import { Button } from '../kit/button.tsx'
import { TextField } from '../kit/field.tsx'
import { Form } from '../kit/form.tsx'
import { Loading } from '../kit/states.tsx'
import { text } from '../text.ts'
import { page } from './load-page.ts'
import { usePlace, useWay } from './place.ts'
import { dayAfter } from './range-presets.ts'

const Calendar = page(() => import('../kit/calendar.tsx'))

type RangeDaysProps = { today: string; onDone: () => void }

/** Any days, chosen in a calendar or typed. */
export function RangeDays({ today, onDone }: RangeDaysProps) {
  const { parameters } = usePlace()
  const way = useWay()
  const [days, setDays] = useState({
    from: parameters.get('from') ?? '',
    to: parameters.get('to') ?? '',
  })
  const earliest = dayAfter(today, 1 - readDaysMax)
  const isTooEarly = days.from !== '' && days.from < earliest
  const submit = () => {
    onDone()
    way.go(way.here({ window: null, ...days }))
  }
  return (
    <Form className="stack" onSubmit={submit} isSearch>
      <div className="calendar">
        <Suspense fallback={<Loading lines={8} />}>
          <Calendar {...days} {...{ earliest, today }} onChange={(from, to) => setDays({ from, to })} />
        </Suspense>
      </div>
      <div className="form-row">
        <TextField
          label={text.range.from}
          type="date"
          value={days.from}
          fault={isTooEarly ? text.range.tooEarly(formatDayOnly(earliest)) : null}
          onChange={(from) => setDays({ ...days, from })}
          isRequired
        />
        <TextField
          label={text.range.to}
          type="date"
          value={days.to}
          fault={days.to < days.from ? text.form.dayOrder : null}
          onChange={(to) => setDays({ ...days, to })}
          isRequired
        />
      </div>
      <div className="row end">
        <Button type="submit" look="primary" isCompact>
          {text.range.show}
        </Button>
      </div>
    </Form>
  )
}
