import type { Contract } from '@assay/contract'
import { Badge } from '../../kit/card.tsx'
import { text } from '../../text.ts'

export function StatusBadge({ status }: { status: Contract['status'] }) {
  const kinds = { draft: 'quarantine', published: 'accept', deprecated: 'warn', archived: '' }
  return <Badge kind={kinds[status]}>{text.registry.statuses[status]}</Badge>
}
