import type { ImpactResult } from '@assay/contract'
import { Badge } from '../../kit/card.tsx'
import { text } from '../../text.ts'

export function StateBadge({ state }: { state: ImpactResult['state'] }) {
  const kinds = { open: 'warn', resolved: 'accept', muted: '', regressed: 'reject' }
  return <Badge kind={kinds[state]}>{text.errors.states[state]}</Badge>
}

export function Evidence({ of }: { of: ImpactResult['evidence'] }) {
  const kinds = { strong: 'accept', weak: 'warn', insufficient: '' }
  return <Badge kind={kinds[of]}>{text.errors.evidences[of]}</Badge>
}
