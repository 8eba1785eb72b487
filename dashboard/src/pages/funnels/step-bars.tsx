import { formatCount, formatDuration, formatShare } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { text } from '../../text.ts'

const leftOf = (count: number) => text.funnels.left(formatCount(count))

type ShownStep = {
  label: string
  entered: number
  dropOff: number
  conversionRate: number
  medianTimeMs: number | null
}

type StepBarsProps = {
  steps: readonly ShownStep[]
  /** The step, from 1, of which is shown where people went instead. */
  openStep?: number | null
  /** Where it can be shown. */
  onOpen?: (step: number | null) => void
}

/** The steps as bars, each as long as the share that came so far. */
export function StepBars({ steps, openStep = null, onOpen }: StepBarsProps) {
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
              {index < steps.length - 1 && onOpen === undefined && ` · ${leftOf(dropOff)}`}
            </span>
            {index < steps.length - 1 && onOpen !== undefined && dropOff > 0 && (
              <Button
                isCompact
                look="ghost"
                aria-expanded={openStep === index + 1}
                aria-label={text.funnels.showLeft(formatCount(dropOff), index + 1)}
                onClick={() => onOpen(openStep === index + 1 ? null : index + 1)}
              >
                {leftOf(dropOff)}
              </Button>
            )}
          </span>
          <span>
            {formatCount(entered)} <span className="soft">({formatShare(conversionRate)})</span>
          </span>
        </li>
      ))}
    </ol>
  )
}
