import type { Sql } from '../../store/control.ts'
import { selectFunnels } from './state-store.ts'

/** A funnel of a site, found or pinned, with the pages of its steps. */
export type FunnelPages = { id: string; pages: ReadonlySet<string> }

const pagePrefix = 'page:'

export async function funnelPages(sql: Sql, workspaceId: string, siteId: string): Promise<FunnelPages[]> {
  const rows = await selectFunnels(sql, workspaceId, siteId)
  return rows
    .filter(({ status }) => status !== 'muted')
    .map(({ id, steps }) => {
      const pages = steps.filter((step) => step.startsWith(pagePrefix))
      return { id, pages: new Set(pages.map((step) => step.slice(pagePrefix.length))) }
    })
}
