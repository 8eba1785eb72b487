import type { FunnelDropOff, Input } from '@assay/contract'
import { useRead } from '../../api/reads.ts'
import type { RouteOf } from '../../api/routes.ts'
import { formatCount, formatShare } from '../../format.ts'
import { Shown } from '../../kit/states.tsx'
import { usePlace } from '../../shell/place.ts'
import { text } from '../../text.ts'

type DropOffProps = { question: Omit<Input<RouteOf<'queryFunnel'>>['body'], 'siteId'>; step: number }

/** Where those went who took a step of a funnel and not the next one. */
export function DropOff({ question, step }: DropOffProps) {
  const { siteId } = usePlace()
  const { breakdown: _, format: __, ...asked } = question
  const answer = useRead('queryDropOff', { body: { siteId, ...asked, step } })
  const words = text.funnels
  return (
    <section className="stack" aria-label={words.instead(step)}>
      <h3>{words.instead(step)}</h3>
      <Shown of={answer} lines={4}>
        {(data) => <Next of={data} />}
      </Shown>
      <p className="soft small">{words.insteadMeans}</p>
    </section>
  )
}

function Next({ of: { next, other, left } }: { of: FunnelDropOff }) {
  const words = text.funnels
  const rows = [
    { key: 'left', label: words.leftSite, ...left },
    ...next.map(({ key, label, match, count, share }) => ({
      key,
      label: match.path ?? label,
      count,
      share,
    })),
    { key: 'other', label: words.other, ...other },
  ].filter(({ count }) => count > 0)
  return (
    <ol className="bars">
      {rows.map(({ key, label, count, share }) => (
        <li key={key}>
          <span className="fill" style={{ width: `${share * 100}%` }} />
          <span className="key" title={label}>
            {label}
          </span>
          <span>
            {formatCount(count)} <span className="soft">({formatShare(share)})</span>
          </span>
        </li>
      ))}
    </ol>
  )
}
