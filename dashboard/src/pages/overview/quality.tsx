import type { Overview } from '@assay/contract'
import { Link } from 'wouter'
import { now } from '../../clock.ts'
import { formatCount, formatMinute, formatShare } from '../../format.ts'
import { Badge, Card } from '../../kit/card.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'

/** A page that was loaded just now is not worth a word. */
const newMs = 60_000

/** How complete the numbers above are: quarantined and rejected events are not in them. */
export function Quality({ data: { dataQuality, period } }: { data: Overview }) {
  const way = useWay()
  const { parameters } = usePlace()
  const isUntilNow = parameters.get('to') === null
  const isOld = isUntilNow && now() - Date.parse(period.to) > newMs
  const { warned, quarantined, rejected, botShare, botEvents, reasons } = dataQuality
  const reason = Object.values(reasons)[0]
  const count = (value: number | null) => (value === null ? text.nothing : formatCount(value))
  return (
    <Card title={text.quality.title}>
      <div className="quality">
        <span>
          <Badge kind="warn">{text.outcomes.warn}</Badge> {count(warned)}
        </span>
        <span>
          <Badge kind="quarantine">{text.outcomes.quarantine}</Badge> {count(quarantined)}{' '}
          <Link href={way.to('quarantine')}>{text.quality.review}</Link>
        </span>
        <span>
          <Badge kind="reject">{text.outcomes.reject}</Badge> {count(rejected)}
        </span>
        <span>
          <Badge>{text.quality.bots}</Badge> {formatCount(botEvents)}
          {botShare === null ? '' : ` (${formatShare(botShare)})`}
        </span>
      </div>
      <p className="soft small">
        {reason ?? (quarantined === 0 && rejected === 0 ? text.quality.good : text.quality.notCounted)}
        {isOld && ` ${text.quality.until(formatMinute(period.to, period.timezone))}`}
      </p>
    </Card>
  )
}
