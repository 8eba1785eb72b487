import type { Product } from '../app/app.ts'
import { countPlaces } from '../privacy/erasure/places-erasure.ts'
import type { DataSubject } from '../store/people/data-subject.ts'
import { dropPersonList, fillPersonList, listEventIds, personList } from '../store/people/person-list.ts'
import { isStored } from '../store/people/personal-data.ts'

type Somebody = { workspaceId: string; originalIds: readonly string[]; values?: readonly string[] }

let lists = 0

async function withPerson<T>(
  { deps: { events } }: Product,
  { workspaceId, originalIds, values = [] }: Somebody,
  work: (person: DataSubject) => Promise<T>,
): Promise<T> {
  lists += 1
  const list = personList(`test_${process.pid}_${lists}`, values)
  const person = { workspaceId, requestIds: [], personIds: originalIds, originalIds, values, list }
  try {
    await fillPersonList(events, list, { originalIds, values, salt: '' })
    await listEventIds(events, person)
    return await work(person)
  } finally {
    await dropPersonList(events, list)
  }
}

/** Number of rows of a person in each declared place. */
export function countEverywhere(product: Product, somebody: Somebody): Promise<Map<string, number>> {
  const { events, privacy } = product.deps
  return withPerson(product, somebody, (person) =>
    countPlaces(events, privacy.places.filter(isStored), person),
  )
}

/** Erases a person from every declared place that has data of them, without a request. */
export function eraseEverywhere(product: Product, somebody: Somebody): Promise<void> {
  const { events, privacy } = product.deps
  return withPerson(product, somebody, async (person) => {
    const counts = await countPlaces(events, privacy.places.filter(isStored), person)
    for (const place of privacy.places) {
      if (!isStored(place)) await place.erase(person.workspaceId, person.originalIds)
      else if (counts.get(place.name) !== 0 || place.isAlwaysErased === true)
        await place.erase(person, 'erase')
    }
  })
}
