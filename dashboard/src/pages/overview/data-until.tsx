import type { getOverview, Output } from '@assay/contract'
import { formatCount, formatHour } from '../../format.ts'
import { text } from '../../text.ts'

/** How far the numbers reach: an event is on disk at once, and in reports a moment later. */
export function DataUntil({
  data: { dataUntil, pendingEvents, period },
}: {
  data: Output<typeof getOverview>
}) {
  const until = text.overview.dataUntil(formatHour(dataUntil, period.timezone))
  return (
    <p className="soft small" role="status">
      {pendingEvents === 0 ? until : `${until} · ${text.overview.loading(formatCount(pendingEvents))}`}
    </p>
  )
}
