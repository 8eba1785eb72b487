import type { AreaName, SectionName } from '../areas.ts'
import type { LoadedPage } from '../load-page.ts'
import type { PageProps } from '../page-props.ts'
import type { RangeKind } from '../range.ts'

export type PageEntry = {
  path: string
  title: string
  area: AreaName
  /** The part of the settings that it stands in. */
  section?: SectionName
  View: LoadedPage<PageProps>
  /** What of the time its numbers go by: the last days, any days and a time zone, or a comparison as well. */
  range?: RangeKind
}
