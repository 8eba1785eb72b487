import type { QueryClient } from '@tanstack/react-query'
import { createCall } from '../api/client.ts'
import { matchPage } from './pages.ts'
import { readPlace } from './place.ts'

/** The most that one page of a list holds; who has more sites finds the others by their address. */
const sitesMax = 200
export const sitesAsked = { query: { limit: sitesMax } }

/**
 * An address says which workspace and page will be shown: sites and code are on their way together with the session,
 * instead of one after the other.
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
  matchPage(place.path)?.entry.View.ahead()
}
