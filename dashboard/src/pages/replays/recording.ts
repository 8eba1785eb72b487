import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Reading, useCall } from '../../api/reads.ts'

/** As many as one answer may hold. */
const chunksPerPage = 50

/** Loads a recording page by page, with its progress. */
export function useRecording(id: string): Reading<readonly unknown[]> & { loadedEvents: number } {
  const { call, workspaceId } = useCall()
  const [loadedEvents, setLoaded] = useState(0)
  const reading = useQuery<readonly unknown[], Error>({
    queryKey: [workspaceId, 'listReplayEvents', id, 'all'],
    staleTime: Number.POSITIVE_INFINITY,
    // A recording is large: it is let go of with the page that shows it.
    gcTime: 0,
    queryFn: async () => {
      const events: unknown[] = []
      let cursor: string | null = null
      do {
        const query: { limit: number; cursor?: string } = {
          limit: chunksPerPage,
          ...(cursor !== null && { cursor }),
        }
        const page = await call('listReplayEvents', { params: { id }, query })
        for (const event of page.data) events.push(event)
        setLoaded(events.length)
        cursor = page.next_cursor
      } while (cursor !== null)
      return events
    },
  })
  return { ...reading, loadedEvents }
}
