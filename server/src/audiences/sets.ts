import type { ConsentRegime } from '@assay/contract'
import { consentOfEverybody } from '../consent/presumed-consent.ts'
import { traitHolders } from '../identity/profiles/trait-holders.ts'
import { traitFits } from '../identity/profiles/trait-test.ts'
import type { NewId } from '../platform/clock.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import { dropSet, insertSet } from './member-store.ts'
import type { PeopleSet } from './rule-store.ts'

type SetWorld = { control: Control; events: Events; newId: NewId }
type SetScope = { workspaceId: string; regime: ConsentRegime | null; atMs: number }

/** Copies the people of each set to the events store, runs, and removes them again. */
export async function withSets<Result>(
  world: SetWorld,
  scope: SetScope,
  sets: readonly PeopleSet[],
  run: (params: Readonly<Record<string, string>>) => Promise<Result>,
): Promise<Result> {
  const ids = sets.map(() => world.newId('set'))
  const readOverlays = new Set<string>()
  try {
    for (const [index, set] of sets.entries()) {
      const setId = ids[index] ?? ''
      for await (const people of peopleOf(world.control, scope, set)) {
        if (people.length === 0) continue
        readOverlays.add(setId)
        await insertSet(world.events, scope.workspaceId, setId, people)
      }
    }
    return await run(Object.fromEntries(ids.map((id, index) => [`set${index}`, id])))
  } finally {
    for (const id of readOverlays) await dropSet(world.events, id)
  }
}

async function* peopleOf(
  control: Control,
  { workspaceId, regime, atMs }: SetScope,
  set: PeopleSet,
): AsyncGenerator<readonly string[]> {
  if (set.kind === 'trait') {
    for await (const holders of traitHolders(control, workspaceId, set.key)) {
      yield holders
        .filter(({ value }) => traitFits(value, set.op, set.values))
        .map(({ personId }) => personId)
    }
    return
  }
  for await (const standings of consentOfEverybody(control, workspaceId, regime, set.category, atMs)) {
    yield standings.filter(({ choice }) => choice === set.choice).map(({ personId }) => personId)
  }
}
