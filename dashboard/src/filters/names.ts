import { goalLimits } from '@assay/contract'
import { useMemo } from 'react'
import { useRead } from '../api/reads.ts'
import type { PickerItem } from '../kit/picker.tsx'
import { usePlace } from '../shell/place.ts'
import type { FilterNames } from './filter-words.ts'
import { usePlaceNames } from './place-names.ts'

/** A site has a hundred at most, as the contract says. */
const audiencesMax = 100

export function useAudienceItems(): readonly PickerItem[] {
  const { siteId } = usePlace()
  const audiences = useRead('listAudiences', { query: { siteId, limit: audiencesMax } }).data?.data
  return useMemo(() => (audiences ?? []).map(({ id, name }) => ({ value: id, label: name })), [audiences])
}

/** From the list of goals, which is short: what can be asked about a site is read from its events. */
export function useGoalItems(): readonly PickerItem[] {
  const { siteId } = usePlace()
  const goals = useRead('listGoals', { query: { siteId, limit: goalLimits.goalsMax } }).data?.data
  return useMemo(() => (goals ?? []).map(({ id, name }) => ({ value: id, label: name })), [goals])
}

/** What filters mention by id, by name. An id that is not known any more stays as it is. */
export function useFilterNames(): FilterNames {
  const audiences = useAudienceItems()
  const goals = useGoalItems()
  const placeNames = usePlaceNames()
  // biome-ignore lint/correctness/useExhaustiveDependencies: what names regions is made again when these are there
  return useMemo(() => {
    const nameIn = (items: readonly PickerItem[]) => (id: string) =>
      items.find(({ value }) => value === id)?.label ?? id
    return { audience: nameIn(audiences), goal: nameIn(goals) }
  }, [audiences, goals, placeNames])
}
