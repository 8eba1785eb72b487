const size = { width: 120, height: 28 }

type Point = { visitors: number; isComplete: boolean }

/** A line without axes: its shape, not its numbers. An interval that still runs is left out: it looks like a fall. */
export function Sparkline({ of, label }: { of: readonly Point[]; label: string }) {
  const ended = of.filter(({ isComplete }) => isComplete)
  const points = ended.length > 1 ? ended : of
  const most = Math.max(1, ...points.map(({ visitors }) => visitors))
  const line = points
    .map(({ visitors }, index) => {
      const x = points.length < 2 ? 0 : (index / (points.length - 1)) * size.width
      const y = size.height - 2 - (visitors / most) * (size.height - 4)
      return `${x.toFixed(1)},${y.toFixed(1)}`
    })
    .join(' ')
  return (
    <svg
      className="sparkline"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size.width} ${size.height}`}
      {...size}
    >
      <polyline points={line} fill="none" stroke="var(--accent)" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  )
}
