import type { PersonalDataPlace, StoredPlace } from '../store/people/personal-data.ts'
import type { Context } from './context.ts'
import { outcomeTable, touchTable } from './personal-data-store.ts'

/** What led somebody to an outcome. A computation that is under way would write it again, so each waits for the other. */
export function attributionData({ events, alone }: Pick<Context, 'events' | 'alone'>): PersonalDataPlace[] {
  const inTurn = (place: StoredPlace): StoredPlace => ({
    ...place,
    erase: (person, mode) => alone(person.workspaceId, () => place.erase(person, mode)),
  })
  return [inTurn(touchTable(events)), inTurn(outcomeTable(events))]
}
