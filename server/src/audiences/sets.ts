import type { ConsentRegime } from '@assay/contract'
import { consentOfEverybody } from '../consent/presumed-consent.ts'
import { traitHolders } from '../identity/profiles/trait-holders.ts'
import { traitFits } from '../identity/profiles/trait-test.ts'
import type { Control } from '../store/control.ts'
import { PeopleSet, type SetPerson } from '../store/filters/people-sets.ts'
import type { ControlSet } from './rule-store.ts'

type SetScope = { workspaceId: string; regime: ConsentRegime | null; atMs: number }

/** The people of each set, as the parameters that a compiled rule names. */
export function setParams(
  control: Control,
  scope: SetScope,
  sets: readonly ControlSet[],
): Readonly<Record<string, PeopleSet>> {
  return Object.fromEntries(
    sets.map((set, index) => [
      `set${index}`,
      new PeopleSet(scope.workspaceId, () => peopleOf(control, scope, set)),
    ]),
  )
}

async function* peopleOf(
  control: Control,
  { workspaceId, regime, atMs }: SetScope,
  set: ControlSet,
): AsyncGenerator<readonly SetPerson[]> {
  if (set.kind === 'trait') {
    for await (const holders of traitHolders(control, workspaceId, set.key)) {
      yield holders
        .filter(({ value }) => traitFits(value, set.op, set.values))
        .map(({ personId }) => ({ personId }))
    }
    return
  }
  for await (const standings of consentOfEverybody(control, workspaceId, regime, set.category, atMs)) {
    yield standings.filter(({ choice }) => choice === set.choice).map(({ personId }) => ({ personId }))
  }
}
