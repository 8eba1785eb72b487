import type { Audience } from '@assay/contract'
import { Badge } from '../../kit/card.tsx'
import { watchText } from '../../text/watch.ts'

export function AudienceBadge({ status }: { status: Audience['status'] }) {
  return <Badge kind={status === 'active' ? 'accept' : 'warn'}>{watchText.audiences.statuses[status]}</Badge>
}
