import { useSyncExternalStore } from 'react'
import { countryName } from '../format.ts'

/** Regions and cities in words. The names of regions are loaded when one is shown: most pages have none. */

type Names = Readonly<Record<string, string>>

let names: Names | null = null
let isAsked = false
// bounded: by the components of the page.
const listeners = new Set<() => void>()

function loadedNames(): Names {
  if (!isAsked) {
    isAsked = true
    import('virtual:region-names')
      .then(({ regionNames }) => {
        names = regionNames
        for (const listener of listeners) listener()
      })
      // Codes are shown instead, and the next page tries again.
      .catch(() => {
        isAsked = false
      })
  }
  return names ?? {}
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Shows a component again when the names of regions are there; a number that changes then. */
export function usePlaceNames(): number {
  return useSyncExternalStore(subscribe, () => (names === null ? 0 : 1))
}

/** `DE-BY` is “Bavaria, Germany”. */
export function regionLabel(value: string): string {
  const code = value.toUpperCase()
  const name = loadedNames()[code]
  return name === undefined ? value : `${name}, ${countryName(code.slice(0, 2))}`
}

/** `Springfield (US-IL)` is “Springfield, Illinois”; a city that is a region on its own has its country behind it. */
export function cityLabel(value: string): string {
  const parts = /^(.+) \(([A-Z]{2})(-[A-Z\d]{1,3})?\)$/.exec(value)
  if (parts === null) return value
  const [, city = '', country = '', region = ''] = parts
  const name = region === '' ? '' : (loadedNames()[`${country}${region}`] ?? `${country}${region}`)
  return `${city}, ${name === '' || name === city ? countryName(country) : name}`
}
