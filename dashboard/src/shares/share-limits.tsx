import type { Share } from '@assay/contract'
import { now } from '../clock.ts'
import { filterWords } from '../filters/filter-words.ts'
import { useFilterNames } from '../filters/names.ts'
import { filtersIn, periodWords } from '../filters/saved-filters.ts'
import { formatMinute } from '../format.ts'
import { Badge } from '../kit/card.tsx'
import { useSession } from '../shell/session.ts'
import { text } from '../text.ts'

/** What a link is restricted to. */
export function ShareLimits({ share }: { share: Share }) {
  const names = useFilterNames()
  const { site } = useSession()
  const words = text.shares
  const { narrowing, hasPassword, expiresAt, origins } = share
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= now()
  const period = periodWords(narrowing)
  return (
    <span className="state-line">
      {isOver && <Badge kind="reject">{words.overdue}</Badge>}
      {hasPassword && <Badge>{words.hasPassword}</Badge>}
      {expiresAt !== null && !isOver && <Badge>{words.until(formatMinute(expiresAt, site.timezone))}</Badge>}
      {period !== null && <Badge>{period}</Badge>}
      {filtersIn(narrowing).map((filter) => (
        <Badge key={JSON.stringify(filter)}>{filterWords(filter, names)}</Badge>
      ))}
      {origins.length > 0 && <Badge>{words.embeds(origins.length)}</Badge>}
    </span>
  )
}
