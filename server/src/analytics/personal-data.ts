import type { Events } from '../store/events.ts'
import { keysIn } from '../store/people/person-list.ts'
import { deletedTable } from '../store/people/person-rows.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'

/**
 * The number of a person in sums of days. It goes after their events: the days that hold it stopped counting with
 * those, and none that is summed up later has them. The numbers of their sessions go when no day holds them any more.
 */
export function summaryData(events: Events): PersonalDataPlace[] {
  return [
    deletedTable(events, 'summary_numbers', (list) => `kind = 0 AND key IN ${keysIn(list)}`, {
      because: 'a number that stands for them in sums of days, and says nothing else',
    }),
  ]
}
