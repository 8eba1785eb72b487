import type { Coverage, Output } from '@assay/contract'
import { type Reading, useRead } from '../../api/reads.ts'
import type { RouteOf } from '../../api/routes.ts'
import { codeWords } from '../../code-words.ts'
import { formatCount, formatShare } from '../../format.ts'
import { Card, Progress } from '../../kit/card.tsx'
import { Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { usePlace } from '../../shell/place.ts'
import { watchText } from '../../text/watch.ts'
import { text } from '../../text.ts'

type Read = Output<RouteOf<'getCoverage'>>

export function useCoverage(): Reading<Read> {
  const { siteId } = usePlace()
  return useRead('getCoverage', { query: { site_id: siteId } })
}

/** Whether what should arrive from each surface does. */
export function CoverageCard({ of }: { of: Reading<Read> }) {
  const words = watchText.eventHealth
  return (
    <Card title={words.coverage}>
      <Shown of={of}>
        {({ data }) => (
          <Table
            caption={words.coverage}
            rows={data}
            keyOf={({ surface }) => surface}
            columns={[
              { title: words.surface, cell: ({ surface }) => words.surfaces[surface] },
              { title: words.score, cell: (row) => <Score of={row} /> },
              { title: words.missing, cell: ({ missing }) => missing.join(', ') || text.nothing },
              {
                title: words.stale,
                cell: ({ stale }) => stale.map(({ key }) => key).join(', ') || text.nothing,
              },
              { title: words.lost, cell: ({ loss }) => lossText(loss) },
            ]}
          />
        )}
      </Shown>
    </Card>
  )
}

const lossText = (loss: Coverage['loss']) =>
  Object.entries(loss)
    .map(([reason, count]) => `${codeWords('losses', reason)}: ${formatCount(count)}`)
    .join(', ') || text.nothing

function Score({ of: { score, surface, parts, seen, expected } }: { of: Coverage }) {
  const words = watchText.eventHealth
  if (score === null) return <span className="soft">{words.nothingExpected}</span>
  const share = (part: number | null) => (part === null ? text.nothing : formatShare(part))
  return (
    <div className="stack tight">
      <strong>{Math.round(score)}</strong>
      <Progress label={words.surfaces[surface]} share={score / 100} />
      <span className="soft small">{words.seenOf(seen.length, expected.length)}</span>
      <span className="soft small">
        {words.parts(share(parts.seen), share(parts.complete), share(parts.fresh))}
      </span>
    </div>
  )
}
