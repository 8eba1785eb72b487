import type { AreaName } from './areas.ts'
import { dataPages } from './page-lists/data-pages.ts'
import type { PageEntry } from './page-lists/page-entry.ts'
import { reportPages } from './page-lists/report-pages.ts'
import { settingsPages } from './page-lists/settings-pages.ts'

/** Every page, loaded on demand; the first of an area is where its place leads. */
const pages: readonly PageEntry[] = [...reportPages, ...dataPages, ...settingsPages]

/** The page whose path is the URL or its beginning. */
export function matchPage(path: string): { entry: PageEntry; rest: string } | null {
  const fitting = pages.filter((page) => path === page.path || path.startsWith(`${page.path}/`))
  const entry = fitting.sort((a, b) => b.path.length - a.path.length)[0]
  return entry === undefined ? null : { entry, rest: path.slice(entry.path.length + 1) }
}

export function pagesOf(area: AreaName): readonly PageEntry[] {
  return pages.filter((entry) => entry.area === area)
}
