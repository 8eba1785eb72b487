import type { Moved } from '@assay/contract'
import { formatCount } from '../../format.ts'
import { Facts } from '../../kit/card.tsx'
import { text } from '../../text.ts'

export function MovedFacts({ moved }: { moved: Moved | null }) {
  if (moved === null) return null
  const count = (value: number | null) => (value === null ? null : formatCount(value))
  return (
    <Facts
      of={[
        [text.people.identifiers, count(moved.identifiers)],
        [text.people.traits, count(moved.traits)],
        [text.people.events, count(moved.events)],
        [text.people.outcomes, count(moved.outcomes)],
      ]}
    />
  )
}
