import { useMemo } from 'react'
import { formatCount, formatTime, intervalFormats } from '../../format.ts'
import { Card, Facts } from '../../kit/card.tsx'
import { Chart } from '../../kit/chart.tsx'
import { useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { StateBadge } from './error-badges.tsx'
import type { Read } from './error-read.ts'

export function Occurrences({ error }: { error: Read }) {
  const { site } = useSession()
  const words = text.errors
  const trend = error.trend.series
  const series = useMemo(
    () => [
      {
        id: 'occurrences',
        name: text.errors.occurrences,
        values: trend.map(({ occurrences }) => occurrences),
      },
    ],
    [trend],
  )
  const times = useMemo(() => intervalFormats('day', site.timezone), [site.timezone])
  return (
    <div className="aside">
      <Card>
        <Chart
          title={words.occurrences}
          points={trend}
          series={series}
          look="bars"
          format={formatCount}
          {...times}
        />
      </Card>
      <Card title={words.facts}>
        <Facts
          of={[
            [words.state, <StateBadge key="state" state={error.state} />],
            [words.type, error.type],
            [words.culprit, error.culprit === '' ? null : <Frames key="culprit" of={error.culprit} />],
            [words.occurrences, formatCount(error.occurrences)],
            [words.sessions, formatCount(error.sessions)],
            [words.users, formatCount(error.users)],
            [words.firstSeen, formatTime(error.firstSeenAt, site.timezone)],
            [words.lastSeen, formatTime(error.lastSeenAt, site.timezone)],
            [words.releases, error.releases.join(', ')],
          ]}
        />
      </Card>
    </div>
  )
}

/** The nearest first; a group has three at most. */
function Frames({ of }: { of: string }) {
  return (
    <div className="stack tight">
      {of.split(' < ').map((frame, depth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same frame may stand there twice.
        <code key={depth}>{frame}</code>
      ))}
    </div>
  )
}
