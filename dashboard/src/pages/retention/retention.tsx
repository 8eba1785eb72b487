import type { Retention } from '@assay/contract'
import { useRead } from '../../api/reads.ts'
import { EventPicker } from '../../filters/event-picker.tsx'
import { FilterBar } from '../../filters/filter-bar.tsx'
import { formatCount, formatDay, formatShare } from '../../format.ts'
import { Card, Page } from '../../kit/card.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useRangeQuery } from '../../shell/range.ts'
import { text } from '../../text.ts'
import { Curve } from './curve.tsx'

const intervals: readonly Retention['interval'][] = ['day', 'week', 'month']

/** Who comes back, by when they first came. */
export default function RetentionPage() {
  const { parameters } = usePlace()
  const range = useRangeQuery()
  const interval = intervals.find((name) => name === parameters.get('interval')) ?? 'week'
  const [first, later] = [parameters.get('first') ?? '', parameters.get('return') ?? '']
  const named = { ...(first !== '' && { firstEvent: first }), ...(later !== '' && { returnEvent: later }) }
  const query = { ...range, interval, ...named }
  const retention = useRead('getRetention', { query })
  return (
    <Page title={text.pages.retention} lead={text.retention.lead}>
      <FilterBar />
      <Card>
        <Question key={`${first} ${later}`} first={first} later={later} interval={interval} />
      </Card>
      <Shown
        of={retention}
        lines={8}
        empty={({ cohorts }) =>
          cohorts.every(({ people }) => people === 0) ? (
            <Card>
              <Empty title={text.retention.empty} />
            </Card>
          ) : null
        }
      >
        {(data) => <Cohorts retention={data} />}
      </Shown>
    </Page>
  )
}

type QuestionProps = { first: string; later: string; interval: (typeof intervals)[number] }

function Question({ first, later, interval }: QuestionProps) {
  const way = useWay()
  const words = text.retention
  return (
    <div className="form-row">
      <EventPicker
        label={words.first}
        value={first}
        onChange={(value) => way.go(way.here({ first: value }))}
      />
      <EventPicker
        label={words.later}
        value={later}
        onChange={(value) => way.go(way.here({ return: value }))}
      />
      <SelectField
        label={words.interval}
        value={interval}
        choices={intervals.map((value) => ({ value, label: words.intervals[value] }))}
        onChange={(value) => way.go(way.here({ interval: value }))}
      />
    </div>
  )
}

type Cohort = Retention['cohorts'][number]
type Row = Pick<Cohort, 'people' | 'returned'> & { name: string }

function Cohorts({ retention }: { retention: Retention }) {
  const { overall, period, interval } = retention
  // Before the first visitor no one could return.
  const cohorts = retention.cohorts.slice(retention.cohorts.findIndex(({ people }) => people > 0))
  const words = text.retention
  const steps = Math.max(0, ...cohorts.flatMap(({ returned }) => returned.map(({ after }) => after)))
  const most = Math.max(
    0.01,
    ...cohorts.flatMap(({ returned }) => returned.map(({ share, after }) => (after > 0 ? share : 0))),
  )
  const later = Array.from({ length: steps }, (_, index) => index + 1)
  const rows: Row[] = [
    {
      name: words.all,
      people: cohorts.reduce((sum, { people }) => sum + people, 0),
      // Of all who had the whole interval to return.
      returned: overall.filter(({ of }) => of > 0).map((one) => ({ ...one, isComplete: true })),
    },
    ...cohorts.map(({ start, ...own }) => ({ ...own, name: formatDay(start, period.timezone) })),
  ]
  return (
    <Card title={words.cohorts}>
      <Curve overall={overall} interval={interval} />
      <Table
        caption={words.cohorts}
        isMatrix
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          { title: words.since[interval], cell: ({ name }) => <span className="one-line">{name}</span> },
          { title: words.people, kind: 'number', cell: ({ people }) => formatCount(people) },
          ...later.map((after) => ({
            title: words.after[interval](after),
            kind: 'number' as const,
            cell: (row: Row) => <Share row={row} after={after} most={most} />,
          })),
        ]}
      />
      <p className="soft small">{words.incomplete}</p>
    </Card>
  )
}

function Share({ row, after, most }: { row: Row; after: number; most: number }) {
  const found = row.returned.find((returned) => returned.after === after)
  if (found === undefined) return null
  // The most returned is the warmest, at a strength on which ink is still read.
  const strength = Math.round((found.share / most) * 42)
  const heat = `color-mix(in srgb, var(--accent) ${strength}%, var(--sheet))`
  return (
    <span className="heat" style={{ background: heat }}>
      {formatShare(found.share)}
      {!found.isComplete && '*'}
    </span>
  )
}
