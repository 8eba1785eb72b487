import { identityLimits, Problem } from '@assay/contract'
import type { Linked } from '../graph/links.ts'

/** The problem that explains why two identifiers were not merged; null if they were. */
export function refusalOf({ outcome, before }: Linked): Problem | null {
  const [person, other] = before
  const members = { reason: outcome, person_ids: [...new Set([person, other])] }
  switch (outcome) {
    case 'known':
    case 'linked':
    case 'merged':
      return null
    case 'too_many_identifiers':
      return new Problem('identity-limit', {
        detail: `This person would have more than ${identityLimits.identifiersMax} identifiers, which is the limit.`,
        members,
      })
    case 'too_many_merges':
      return new Problem('identity-limit', {
        detail: `This person would have been merged more than ${identityLimits.mergesMax} times, which is the limit.`,
        members,
      })
    case 'kept_apart':
      return new Problem('identity-conflict', {
        detail: 'These two were separated, and stay separate until someone merges them explicitly.',
        members,
      })
    case 'shared_device':
      return new Problem('identity-conflict', {
        detail: 'Several people use this device. What was done on it anonymously belongs to none of them.',
        members,
      })
    case 'conflict':
      return new Problem('identity-conflict', {
        detail:
          'These identifiers belong to two different people. Merge them on purpose if they are one human.',
        members,
      })
  }
}
