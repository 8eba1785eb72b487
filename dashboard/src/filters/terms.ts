import {
  audienceTerm,
  type DimensionName,
  dimensionNames,
  type Output,
  propertyPrefix,
  traitPrefix,
} from '@assay/contract'
import { useEffect, useMemo, useState } from 'react'
import { useRead } from '../api/reads.ts'
import type { RouteOf } from '../api/routes.ts'
import { countryName, formatShort } from '../format.ts'
import type { PickerGroup, PickerItem } from '../kit/picker.tsx'
import { usePlace } from '../shell/place.ts'
import { usePeriod } from '../shell/range.ts'
import { text } from '../text.ts'
import { cityLabel, regionLabel, usePlaceNames } from './place-names.ts'

/** What can be asked about this site: dimensions, events, goals, properties. */
export type Terms = Output<RouteOf<'listDimensions'>>

export function useTerms(): Terms | undefined {
  const { siteId } = usePlace()
  return useRead('listDimensions', { query: { siteId } }).data
}

const dimensionGroups: readonly { name: keyof typeof text.filterBar.groups; of: readonly DimensionName[] }[] =
  [
    { name: 'pages', of: ['page', 'title', 'hostname', 'entryPage', 'exitPage'] },
    {
      name: 'sources',
      of: [
        'channel',
        'source',
        'referrer',
        'utm.source',
        'utm.medium',
        'utm.campaign',
        'utm.term',
        'utm.content',
        'clickId',
      ],
    },
    { name: 'visitors', of: ['country', 'region', 'city', 'device', 'browser', 'os', 'language', 'screen'] },
    { name: 'events', of: ['event', 'release', 'sdk', 'surface', 'verdict'] },
  ]

/** A dimension in words; a property and a trait by its own name. */
export function dimensionLabel(name: string): string {
  const known = dimensionNames.find((one) => one === name)
  if (known !== undefined) return text.filterBar.dimensions[known]
  if (name === audienceTerm.name) return text.filterBar.audience
  const prefix = [propertyPrefix, traitPrefix].find((one) => name.startsWith(one)) ?? ''
  return name.slice(prefix.length)
}

/** Everything that a row or a filter can be about, grouped; and the properties of recent events. */
export function useDimensionGroups(): readonly PickerGroup[] {
  const terms = useTerms()
  return useMemo(() => {
    const known = dimensionGroups.map(({ name, of }) => ({
      label: text.filterBar.groups[name],
      items: of.map((one) => ({ value: one, label: dimensionLabel(one) })),
    }))
    const properties = (terms?.properties ?? []).map(({ name, events }) => ({
      value: name,
      label: dimensionLabel(name),
      hint: events.slice(0, 2).join(', '),
    }))
    const traits = (terms?.traits ?? []).map(({ name }) => ({ value: name, label: dimensionLabel(name) }))
    const people = [{ value: audienceTerm.name, label: dimensionLabel(audienceTerm.name) }, ...traits]
    const groups = [
      ...known,
      { label: text.filterBar.groups.people, items: people },
      { label: text.filterBar.groups.properties, items: properties },
    ]
    return groups.filter(({ items }) => items.length > 0)
  }, [terms])
}

export function useEventItems(): readonly PickerItem[] {
  const terms = useTerms()
  return useMemo(() => (terms?.events ?? []).map((name) => ({ value: name, label: name })), [terms])
}

/** Until the typing pauses, a search would only be thrown away. */
const pauseMs = 180
const valuesMax = 100
/** The longest search that the API takes. */
const searchMax = 200

type ValueGroups = {
  groups: readonly PickerGroup[]
  isLoading: boolean
  onSearch?: (typed: string) => void
}

/** Values of a dimension in the period of the page, those that contain what is typed. */
export function useValueGroups(dimension: string): ValueGroups {
  const [typed, setTyped] = useState('')
  const [search, setSearch] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim().slice(0, searchMax)), pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  // People type the name of a country, and the API knows its code: all of them are searched here.
  const isLocal = dimension === 'country'
  const placeNames = usePlaceNames()
  const period = usePeriod()
  const query = {
    ...period,
    dimension,
    limit: valuesMax,
    ...(search !== '' && !isLocal && { search }),
  }
  const read = useRead('listValues', { query }, { isOff: dimension === '' })
  const values = read.data?.values
  // biome-ignore lint/correctness/useExhaustiveDependencies: labels change when the names of regions are there
  const groups = useMemo(() => {
    const items = (values ?? []).map(({ value, events }) => ({
      value,
      label: valueLabel(dimension, value),
      hint: formatShort(events),
    }))
    return [{ label: '', items }]
  }, [values, dimension, placeNames])
  return { groups, isLoading: read.isFetching, ...(!isLocal && { onSearch: setTyped }) }
}

/** In words; a component that shows regions or cities says `usePlaceNames()` too. */
export function valueLabel(dimension: string, value: string): string {
  if (dimension === 'country') return countryName(value.toUpperCase())
  if (dimension === 'region') return regionLabel(value)
  return dimension === 'city' ? cityLabel(value) : value
}
