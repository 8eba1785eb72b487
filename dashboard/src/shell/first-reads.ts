import type { QueryClient } from '@tanstack/react-query'
import { createCall } from '../api/client.ts'
import { mainReads } from '../pages/main-reads.ts'
import { matchPage } from './pages.ts'
import { readPlace } from './place.ts'

/** The most that one page of a list holds; who has more sites finds the others by their address. */
const sitesMax = 200
export const sitesAsked = { query: { limit: sitesMax } }

/**
 * An address says which workspace, page and range will be shown: sites, code and what the page asks first are on their
 * way together with the session, instead of one after the other.
 */
export function askAhead(queries: QueryClient, { pathname, search }: Location): void {
  const place = readPlace(pathname, search)
  if (place === null) return
  const { workspaceId } = place
  void queries.prefetchQuery({
    // The key of `useRead`, which finds the answer by it, and asks again after a failure.
    queryKey: [workspaceId, 'listSites', sitesAsked],
    queryFn: () => createCall(workspaceId)('listSites', sitesAsked),
    retry: false,
  })
  const page = matchPage(place.path)
  page?.entry.View.ahead()
  const main = page?.rest === '' ? mainReads[page.entry.path]?.(place) : undefined
  if (main === undefined) return
  void queries.prefetchQuery({
    queryKey: [workspaceId, main.name, main.input],
    queryFn: () => main.send(createCall(workspaceId)),
    retry: false,
  })
}
