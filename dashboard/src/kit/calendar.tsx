import { numberLocale } from '@assay/contract'
import { type DateRange, DayPicker } from 'react-day-picker'
import 'react-day-picker/style.css'
import '../style/calendar.css'

type CalendarProps = {
  from: string
  to: string
  /** The first day that can be chosen. */
  earliest?: string
  /** The last day that can be chosen. */
  today: string
  onChange: (from: string, to: string) => void
}

/** A day of the calendar, as the page writes it; clocks and zones do not matter here. */
const dayOf = (date: Date) =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')

function dateOf(day: string): Date | undefined {
  const [year, month, date] = day.split('-').map(Number)
  return year === undefined || month === undefined || date === undefined || Number.isNaN(date)
    ? undefined
    : new Date(year, month - 1, date)
}

/** With the number as it is shown: who says “click 1” means the day that reads 1. */
const dayWords = new Intl.DateTimeFormat(numberLocale, { dateStyle: 'full' })

/** The first and the last day of a time. */
export default function Calendar({ from, to, earliest = '', today, onChange }: CalendarProps) {
  const [first, last] = [dateOf(earliest), dateOf(today)]
  const selected: DateRange = { from: dateOf(from), to: dateOf(to) }
  const change = (range: DateRange | undefined) => {
    if (range?.from !== undefined) onChange(dayOf(range.from), dayOf(range.to ?? range.from))
  }
  return (
    <DayPicker
      mode="range"
      labels={{ labelDayButton: (day) => dayWords.format(day) }}
      weekStartsOn={1}
      selected={selected}
      onSelect={change}
      {...(last !== undefined && {
        defaultMonth: selected.to ?? last,
        endMonth: last,
        disabled: first === undefined ? { after: last } : [{ before: first }, { after: last }],
      })}
      {...(first !== undefined && { startMonth: first })}
    />
  )
}
