import type { Confidence as ConfidenceLevel } from '@assay/contract'
import { Badge } from '../../kit/card.tsx'
import { peopleText } from '../../text/people.ts'
import { text } from '../../text.ts'

export function Confidence({ of }: { of: ConfidenceLevel | null }) {
  if (of === null) return text.nothing
  const kinds = { certain: 'accept', likely: 'warn', possible: '' }
  return <Badge kind={kinds[of]}>{peopleText.people.confidences[of]}</Badge>
}
