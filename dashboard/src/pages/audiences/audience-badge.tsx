import type { Audience } from '@assay/contract'
import { Badge } from '../../kit/card.tsx'
import { text } from '../../text.ts'

export function AudienceBadge({ status }: { status: Audience['status'] }) {
  return <Badge kind={status === 'active' ? 'accept' : 'warn'}>{text.audiences.statuses[status]}</Badge>
}
