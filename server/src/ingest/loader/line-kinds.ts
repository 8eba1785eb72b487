import type { HeldInLines } from './blocks/line-block.ts'
import type { Staged } from './staged-store.ts'

/** By their values the kinds of lines are known. */
export const kindColumns = ['name', 'outcome', 'resolved_by', 'site_id'] as const

const none: ReadonlySet<string> = new Set()

/**
 * The same as `countStaged` without asking the store, which takes it a tenth of a small load. A kind that may be there
 * is counted as all lines: the queries of that kind then find out.
 */
export function kindsOf({ lines, members, texts }: HeldInLines): Staged {
  const valuesOf = (column: (typeof kindColumns)[number]) => texts.get(column) ?? none
  const atMost = (isThere: boolean) => (isThere ? lines : 0)
  const resolvedBy = valuesOf('resolved_by')
  const hasDevice = members.has('anonymous_id')
  return {
    lines,
    decisions: atMost(members.has('state')),
    held: atMost(valuesOf('outcome').has('quarantine')),
    ties: atMost(
      (resolvedBy.has('user_id') && hasDevice) ||
        (resolvedBy.has('person_id') && (hasDevice || members.has('user_id'))),
    ),
    identifies: atMost(valuesOf('name').has('$identify')),
    errors: atMost(valuesOf('name').has('error')),
    letters: atMost(members.has('letter')),
    contested: atMost(members.has('is_contested')),
    pricedSites: members.has('amount') ? [...valuesOf('site_id')] : [],
  }
}
