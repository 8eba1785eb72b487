import { useRead } from '../../api/reads.ts'
import { formatCount } from '../../format.ts'
import { usePlace } from '../../shell/place.ts'
import { text } from '../../text.ts'

/** Now means the last five minutes, so a look now and then is enough. */
const lookMs = 15_000

export function LiveCount() {
  const { siteId } = usePlace()
  const live = useRead('getLive', { query: { siteId } }, { everyMs: lookMs })
  if (live.data === undefined) return null
  return (
    <p>
      <span className="pulse" aria-hidden="true" />
      {text.overview.live(formatCount(live.data.visitors))}
    </p>
  )
}
