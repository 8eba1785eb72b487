import type { Moved } from '@assay/contract'
import { formatCount } from '../../format.ts'
import { Facts } from '../../kit/card.tsx'
import { peopleText } from '../../text/people.ts'

export function MovedFacts({ moved }: { moved: Moved | null }) {
  if (moved === null) return null
  const count = (value: number | null) => (value === null ? null : formatCount(value))
  return (
    <Facts
      of={[
        [peopleText.people.identifiers, count(moved.identifiers)],
        [peopleText.people.traits, count(moved.traits)],
        [peopleText.people.events, count(moved.events)],
        [peopleText.people.outcomes, count(moved.outcomes)],
      ]}
    />
  )
}
