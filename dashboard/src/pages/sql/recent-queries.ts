import { useState } from 'react'

/** Of one site, the last first. */
const recentMax = 20

const keyOf = (siteId: string) => `assay.sql.${siteId}`

function readRecent(siteId: string): readonly string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(keyOf(siteId)) ?? '[]')
    return Array.isArray(found) ? found.filter((one) => typeof one === 'string').slice(0, recentMax) : []
  } catch {
    // Changed by hand, or the browser keeps nothing.
    return []
  }
}

function write(siteId: string, queries: readonly string[]): void {
  try {
    localStorage.setItem(keyOf(siteId), JSON.stringify(queries))
  } catch {
    // Full, or not allowed: the list lasts as long as the page.
  }
}

/** The queries that were run here, kept in this browser. */
export function useRecentQueries(siteId: string) {
  const [queries, setQueries] = useState(() => readRecent(siteId))
  const change = (next: readonly string[]) => {
    setQueries(next)
    write(siteId, next)
  }
  return {
    queries,
    add: (query: string) => change([query, ...queries.filter((one) => one !== query)].slice(0, recentMax)),
    clear: () => change([]),
  }
}
