import type { ErrorGroup, FlowGraph, FunnelResult, Journeys, Retention } from '@assay/contract'
import { Link } from 'wouter'
import { formatCount, formatDay, formatShare } from '../../format.ts'
import { Empty } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'
import { StepBars } from '../funnels/step-bars.tsx'

export function FunnelTile({ funnel }: { funnel: FunnelResult }) {
  return (
    <div className="stack tight">
      <p className="soft small">{text.boards.conversion(formatShare(funnel.conversionRate))}</p>
      <StepBars steps={funnel.steps} />
    </div>
  )
}

/** Rows of a list in a tile; the page of the report has all. */
const rowsMax = 20
const cohortsMax = 10

type Cohort = Retention['cohorts'][number]

/** Who came back, the more the darker; the newest groups. */
export function RetentionTile({ title, retention }: { title: string; retention: Retention }) {
  const { period, interval } = retention
  const known = retention.cohorts.filter(({ people }) => people > 0).slice(-cohortsMax)
  const steps = Math.max(0, ...known.flatMap(({ returned }) => returned.map(({ after }) => after)))
  const later = Array.from({ length: Math.min(steps, cohortsMax) }, (_, index) => index + 1)
  if (known.length === 0) return <Empty title={text.boards.nothing} />
  return (
    <Table
      caption={title}
      isMatrix
      rows={known}
      keyOf={({ start }) => start}
      columns={[
        {
          title: text.boards.cohort[interval],
          cell: ({ start }) => <span className="one-line">{formatDay(start, period.timezone)}</span>,
        },
        { title: text.boards.people, kind: 'number', cell: ({ people }) => formatCount(people) },
        ...later.map((after) => ({
          title: text.retention.after[interval](after),
          kind: 'number' as const,
          cell: (cohort: Cohort) => <Returned cohort={cohort} after={after} />,
        })),
      ]}
    />
  )
}

function Returned({ cohort, after }: { cohort: Cohort; after: number }) {
  const found = cohort.returned.find((one) => one.after === after)
  if (found === undefined) return null
  // Up to half of the accent colour: the ink on it keeps its contrast in light and dark.
  const strength = Math.round(Math.sqrt(found.share) * 45)
  return (
    <span
      className="tile-heat"
      style={{ background: `color-mix(in srgb, var(--accent) ${strength}%, var(--sheet))` }}
    >
      {formatShare(found.share)}
      {!found.isComplete && '*'}
    </span>
  )
}

type Line = { key: string; words: string; count: number; share: number }

/** Bars that compare counts. */
function Lines({ label, of }: { label: string; of: readonly Line[] }) {
  const most = Math.max(1, ...of.map(({ count }) => count))
  if (of.length === 0) return <Empty title={text.boards.nothing} />
  return (
    <ul className="bars" aria-label={label}>
      {of.slice(0, rowsMax).map(({ key, words, count, share }) => (
        <li key={key}>
          <span className="fill" style={{ width: `${(count / most) * 100}%` }} />
          <span className="key" title={words}>
            {words}
          </span>
          <span className="soft small">{formatShare(share)}</span>
          <span>{formatCount(count)}</span>
        </li>
      ))}
    </ul>
  )
}

export function FlowTile({ graph: { nodes, edges } }: { graph: FlowGraph }) {
  const labels = new Map(nodes.map(({ id, label }) => [id, label]))
  const lines = edges
    .toSorted((a, b) => b.count - a.count)
    .map(({ from, to, count, share }) => ({
      key: `${from} ${to}`,
      words: `${labels.get(from) ?? from} → ${labels.get(to) ?? to}`,
      count,
      share,
    }))
  return <Lines label={text.boards.transitions} of={lines} />
}

export function JourneysTile({ journeys }: { journeys: Journeys }) {
  const lines = journeys.journeys.map(({ steps, sessions, share }) => ({
    key: steps.map(({ key }) => key).join(' '),
    words: steps.map(({ label }) => label).join(' → '),
    count: sessions,
    share,
  }))
  return <Lines label={text.boards.paths} of={lines} />
}

export function ErrorsTile({ title, errors }: { title: string; errors: readonly ErrorGroup[] }) {
  const way = useWay()
  const words = text.boards
  if (errors.length === 0) return <Empty title={words.nothing} />
  return (
    <Table
      caption={title}
      isMatrix
      rows={errors.slice(0, rowsMax)}
      keyOf={({ id }) => id}
      columns={[
        {
          title: words.errorGroup,
          cell: ({ id, errorGroup }) => <Link href={way.to(`errors/${id}`)}>{errorGroup}</Link>,
        },
        {
          title: words.occurrences,
          kind: 'number',
          sortBy: ({ occurrences }) => occurrences,
          cell: ({ occurrences }) => formatCount(occurrences),
        },
        {
          title: words.users,
          kind: 'number',
          sortBy: ({ users }) => users,
          cell: ({ users }) => formatCount(users),
        },
      ]}
    />
  )
}
