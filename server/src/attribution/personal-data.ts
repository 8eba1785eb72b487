import type { PersonalDataPlace, StoredPlace } from '../store/people/personal-data.ts'
import type { Context } from './context.ts'
import { outcomeTable, touchTable } from './personal-data-store.ts'

/**
 * Touchpoints and outcomes of a person. A running computation would write them again, so the two exclude each
 * other.
 */
export function attributionData({ events, alone }: Pick<Context, 'events' | 'alone'>): PersonalDataPlace[] {
  const inTurn = (place: StoredPlace): StoredPlace => ({
    ...place,
    erase: (person, mode) => alone(person.workspaceId, () => place.erase(person, mode)),
  })
  return [inTurn(touchTable(events)), inTurn(outcomeTable(events))]
}
