import { useDeferredValue } from 'react'
import { useLocation } from 'wouter'
import { useRead } from '../api/reads.ts'
import { formatCount } from '../format.ts'
import { setTheme, themes } from '../kit/theme.ts'
import { reportHref } from '../reports/report-link.ts'
import { text } from '../text.ts'
import { areaNames } from './areas.ts'
import { matchPage, pagesOf } from './pages.ts'
import { defaultPage, hrefOf, keptOf, usePlace, useWay } from './place.ts'
import { useMay, useSession } from './session.ts'

export type Found = { value: string; label: string; detail: string; act: () => void }
export type FoundGroup = { value: string; items: Found[] }

/** Of each kind; who wants more types more. */
const foundMax = 6
/** As many as one page of a list has. */
const savedMax = 100
/** Shorter texts are in nearly everything. */
const searchMin = 2

function fitting(groups: readonly FoundGroup[], wanted: string): FoundGroup[] {
  const words = wanted.split(/\s+/)
  const fits = ({ label, detail }: Found) => {
    const shown = `${label} ${detail}`.toLowerCase()
    return words.every((word) => shown.includes(word))
  }
  return groups
    .map(({ value, items }) => ({ value, items: items.filter(fits) }))
    .filter(({ items }) => items.length > 0)
}

/** What the typed words find; everything where nothing is typed. */
export function useFound(typed: string): { groups: FoundGroup[]; isSearching: boolean } {
  const wanted = typed.trim().toLowerCase()
  const here = fitting([usePages(), ...useSaved(), ...usePlaces(), useLooks()], wanted)
  const { groups, isSearching } = useData(useDeferredValue(wanted))
  return { groups: [...here, ...groups.filter(({ items }) => items.length > 0)], isSearching }
}

/** Sites and workspaces alone. */
export function useSites(typed: string): FoundGroup[] {
  return fitting(usePlaces(), typed.trim().toLowerCase())
}

function usePages(): FoundGroup {
  const way = useWay()
  const items = areaNames.flatMap((area) =>
    pagesOf(area).map(({ path, title }) => ({
      value: `page ${path}`,
      label: title,
      detail: text.shell.areas[area],
      act: () => way.go(way.to(path)),
    })),
  )
  return { value: text.palette.pages, items }
}

/** Boards and reports of the workspace. */
function useSaved(): FoundGroup[] {
  const { siteId } = usePlace()
  const way = useWay()
  const listed = useRead('listBoards', { query: { siteId, limit: savedMax } }).data
  const boards = [...(listed?.ready ?? []), ...(listed?.data ?? [])]
  const reports = useRead('listReports', { query: { siteId, limit: savedMax } }).data?.data ?? []
  return [
    {
      value: text.pages.boards,
      items: boards.map(({ id, name }) => ({
        value: `board ${id}`,
        label: name,
        detail: '',
        act: () => way.go(way.to(`boards/${id}`)),
      })),
    },
    {
      value: text.pages.reports,
      items: reports.map((report) => ({
        value: `report ${report.id}`,
        label: report.name,
        detail: '',
        act: () => way.go(reportHref(report, way)),
      })),
    },
  ]
}

/** Another site is shown on the same page; another workspace starts at its first site. */
function usePlaces(): FoundGroup[] {
  const { me, sites } = useSession()
  const place = usePlace()
  const [, navigate] = useLocation()
  const search = keptOf(place.parameters).toString()
  const page = matchPage(place.path)?.entry.path ?? defaultPage
  const ofSites = sites.map(({ id, name, domain }) => ({
    value: `site ${id}`,
    label: name,
    detail: domain,
    act: () => navigate(hrefOf({ ...place, siteId: id }, page, search)),
  }))
  const others = me.workspaces.filter(({ id }) => id !== place.workspaceId)
  const ofWorkspaces = others.map(({ id, name }) => ({
    value: `workspace ${id}`,
    label: name,
    detail: '',
    act: () => navigate(`/${id}`),
  }))
  return [
    { value: text.shell.sites, items: ofSites },
    { value: text.shell.workspaces, items: ofWorkspaces },
  ]
}

function useLooks(): FoundGroup {
  const items = themes.map((theme) => ({
    value: `theme ${theme}`,
    label: text.palette.theme(text.shell.themes[theme]),
    detail: '',
    act: () => setTheme(theme),
  }))
  return { value: text.acts.act, items }
}

/** What the server knows of the site by these words. */
function useData(wanted: string): { groups: FoundGroup[]; isSearching: boolean } {
  const { siteId } = usePlace()
  const way = useWay()
  const isOff = wanted.length < searchMin
  const isPrivate = !useMay('identity:read')
  const asked = { siteId, search: wanted, limit: foundMax }
  const events = useRead('listValues', { query: { ...asked, dimension: 'event' } }, { isOff })
  const addresses = useRead('listValues', { query: { ...asked, dimension: 'page' } }, { isOff })
  const people = useRead(
    'listPeople',
    { query: { search: wanted, limit: foundMax } },
    { isOff: isOff || isPrivate },
  )
  const group = (value: string, items: readonly Found[] = []) => ({ value, items: [...items] })
  const times = (count: number) => text.palette.events(formatCount(count))
  const groups = [
    group(
      text.palette.eventNames,
      events.data?.values.map(({ value, events: count }) => ({
        value: `event ${value}`,
        label: value,
        detail: times(count),
        act: () => way.go(way.to('overview', { event: value })),
      })),
    ),
    group(
      text.palette.addresses,
      addresses.data?.values.map(({ value, events: count }) => ({
        value: `address ${value}`,
        label: value,
        detail: times(count),
        act: () => way.go(way.to('overview', { path: value })),
      })),
    ),
    group(
      text.pages.people,
      people.data?.data.map(({ person_id, identifiers }) => ({
        value: `person ${person_id}`,
        label: identifiers[0]?.value ?? person_id,
        detail: identifiers[0]?.type ?? '',
        act: () => way.go(way.to(`people/${person_id}`)),
      })),
    ),
  ]
  const isSearching = !isOff && [events, addresses].some(({ isLoading }) => isLoading)
  return { groups: isOff ? [] : groups, isSearching }
}
