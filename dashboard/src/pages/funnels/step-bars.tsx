import { formatCount, formatDuration, formatShare } from '../../format.ts'
import { text } from '../../text.ts'

type ShownStep = {
  label: string
  entered: number
  dropOff: number
  conversionRate: number
  medianTimeMs: number | null
}

/** The steps as bars, each as long as the share that came so far. */
export function StepBars({ steps }: { steps: readonly ShownStep[] }) {
  return (
    <ol className="bars funnel">
      {steps.map(({ label, entered, dropOff, conversionRate, medianTimeMs }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is known by its place; the same one may come twice
        <li key={index}>
          <span className="fill" style={{ width: `${conversionRate * 100}%` }} />
          <span className="key">
            {index + 1}. {label}
            <span className="soft small">
              {medianTimeMs !== null && ` · ${text.funnels.after(formatDuration(medianTimeMs))}`}
              {index < steps.length - 1 && ` · ${text.funnels.left(formatCount(dropOff))}`}
            </span>
          </span>
          <span>
            {formatCount(entered)} <span className="soft">({formatShare(conversionRate)})</span>
          </span>
        </li>
      ))}
    </ol>
  )
}
