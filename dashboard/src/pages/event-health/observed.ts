import type { Anomaly } from '@assay/contract'
import { formatDecimals, formatFigure } from '../../format.ts'
import { some } from '../../plural.ts'
import { watchText } from '../../text/watch.ts'

type Figures = Pick<Anomaly, 'observed' | 'expected'>

/** What is usual may lie between two whole numbers. */
export const volumeText = ({ observed, expected }: Figures) =>
  watchText.eventHealth.insteadOf(
    some(formatFigure('number', observed, null), 'event'),
    formatFigure('number', expected < 10 ? expected : Math.round(expected), null),
  )

/** In the unit of its kind: events, milliseconds, a share, an index, or what the property itself is counted in. */
export function observedText({ type, issue, observed, expected }: Figures & Pick<Anomaly, 'type' | 'issue'>) {
  const words = watchText.eventHealth
  if (type === 'volume') return volumeText({ observed, expected })
  const kind = issue?.split(':', 1)[0]
  if (kind === 'property_values_shift') return words.shiftIndex(formatDecimals(observed, 2))
  const isNumber = kind === 'property_number_shift'
  const unit = type === 'latency' ? 'ms' : isNumber ? 'number' : 'share'
  const [now, before] = [formatFigure(unit, observed, null), formatFigure(unit, expected, null)]
  return words.insteadOf(isNumber ? words.median(now) : now, before)
}
