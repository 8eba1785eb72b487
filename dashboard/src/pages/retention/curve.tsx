import type { Retention } from '@assay/contract'
import { formatFineShare, formatShare } from '../../format.ts'
import { useIsPhone, useIsTablet } from '../../kit/use-media.ts'
import { text } from '../../text.ts'

/** Near the width at which it is shown, so that its words have their size. */
const widths = { wide: 1060, tablet: 640, phone: 340 } as const
const height = 180
const left = 44
const bottom = 24
const labelWidth = 56
const ticksMax = 4
const top = 22
const right = labelWidth / 2

/** Round shares from nothing to the first that reaches what is shown. */
function ticksUpTo(most: number): number[] {
  const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25]
  const step = steps.find((one) => most / one <= ticksMax) ?? 0.25
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step)
}

/** How many of all return, interval by interval; the table below has the same numbers. */
export function Curve({ overall, interval }: Pick<Retention, 'overall' | 'interval'>) {
  const [isPhone, isTablet] = [useIsPhone(), useIsTablet()]
  const width = widths[isPhone ? 'phone' : isTablet ? 'tablet' : 'wide']
  const name = text.retention.after[interval]
  const points = overall.filter(({ after, of }) => after > 0 && of > 0)
  if (points.length < 2) return null
  const ticks = ticksUpTo(Math.max(...points.map(({ share }) => share), 0.01))
  const most = ticks.at(-1) ?? 1
  const x = (index: number) => left + (index * (width - left - right)) / (points.length - 1)
  const y = (share: number) => top + (1 - share / most) * (height - bottom - top)
  const everyLabel = Math.ceil((points.length * labelWidth) / (width - left))
  const line = points.map(({ share }, index) => `${x(index)},${y(share)}`).join(' ')
  return (
    <svg className="curve" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={text.retention.curve}>
      {ticks.map((share) => (
        <g key={share}>
          <line x1={left} x2={width - right} y1={y(share)} y2={y(share)} />
          <text x={left - 8} y={y(share) + 4} textAnchor="end">
            {formatFineShare(share)}
          </text>
        </g>
      ))}
      <polyline points={line} />
      {points.map(({ after, share }, index) => (
        <g key={after}>
          <circle cx={x(index)} cy={y(share)} r={3.5}>
            <title>{`${name(after)}: ${formatShare(share)}`}</title>
          </circle>
          {index % everyLabel === 0 && (
            <>
              {/* The first stands right of the axis, whose own words end there. */}
              <text
                className="value"
                x={x(index)}
                y={y(share) - 9}
                textAnchor={index === 0 ? 'start' : 'middle'}
              >
                {formatShare(share)}
              </text>
              <text x={x(index)} y={height - 6} textAnchor="middle">
                {name(after)}
              </text>
            </>
          )}
        </g>
      ))}
    </svg>
  )
}
