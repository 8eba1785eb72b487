import { createContext, useContext } from 'react'
import { useLocation } from 'wouter'
import { usePathname, useSearch } from 'wouter/use-browser-location'

/** Everything that decides what is shown stands in the address, so that a link shows a colleague the same. */
export type Place = {
  workspaceId: string
  siteId: string
  /** Such as `overview` or `registry/plan_chosen`. */
  path: string
  parameters: URLSearchParams
}

/** Kept between pages; every other parameter belongs to one page. */
const kept = ['window', 'from', 'to', 'timezone', 'compare']
export const defaultPage = 'overview'

export function readPlace(location: string, search: string): Place | null {
  const [, workspaceId = '', siteId = '', ...rest] = location.split('/')
  if (!workspaceId.startsWith('ws_') || siteId === '') return null
  const path = rest.map(decoded).join('/') || defaultPage
  return { workspaceId, siteId, path, parameters: new URLSearchParams(search) }
}

/** A truncated or mistyped URL is still a URL: it leads to a page that is not found. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export const PlaceContext = createContext<Place | null>(null)

export function usePlace(): Place {
  const place = useContext(PlaceContext)
  if (place === null) throw new Error('a page is shown at a place only')
  return place
}

export function useReadPlace(): Place | null {
  // As the browser has them: decoded once, here, so that a per cent sign in a name stays one.
  return readPlace(usePathname(), useSearch())
}

export function hrefOf(place: Pick<Place, 'workspaceId' | 'siteId'>, path: string, search = ''): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  return `/${place.workspaceId}/${place.siteId}/${encoded}${search === '' ? '' : `?${search}`}`
}

export type Changes = Readonly<Record<string, string | null>>

function withChanges(parameters: URLSearchParams, changes: Changes): string {
  const next = new URLSearchParams(parameters)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name)
    else next.set(name, value)
  }
  return next.toString()
}

export type Way = {
  /** The URL of a page, with the current range and time zone. */
  to: (path: string, changes?: Changes) => string
  /** The URL of the current page with changes. */
  here: (changes: Changes) => string
  go: (href: string, options?: { replace?: boolean }) => void
}

export function useWay(): Way {
  const place = usePlace()
  const [, navigate] = useLocation()
  return {
    to: (path, changes = {}) => hrefOf(place, path, withChanges(keptOf(place.parameters), changes)),
    here: (changes) => hrefOf(place, place.path, withChanges(place.parameters, changes)),
    go: (href, options) => navigate(href, options ?? {}),
  }
}

export function keptOf(parameters: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...parameters].filter(([name]) => kept.includes(name)))
}
