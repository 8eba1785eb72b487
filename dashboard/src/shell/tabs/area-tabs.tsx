import { ChevronDown } from 'lucide-react'
import { Suspense } from 'react'
import { Link } from 'wouter'
import { useIsTablet } from '../../kit/use-media.ts'
import { text } from '../../text.ts'
import { sectionNames } from '../areas.ts'
import { page } from '../load-page.ts'
import type { PageEntry } from '../page-lists/page-entry.ts'
import { pagesOf } from '../pages.ts'
import { useWay } from '../place.ts'
import { useFolded } from './use-folded.ts'

const MoreTabs = page(() => import('./more-tabs.tsx'))

/** The pages of the current place, side by side; those that do not fit are behind "More". */
export function AreaTabs({ current }: { current: PageEntry }) {
  const entries = pagesOf(current.area)
  const { row, shown } = useFolded(entries.length)
  const folded = entries.slice(shown)
  return (
    <nav className="area-tabs" aria-label={text.shell.areas[current.area]}>
      <div className="tab-row" ref={row}>
        {entries.map((entry, place) => (
          <PageLink key={entry.path} entry={entry} isCurrent={entry === current} isFolded={place >= shown} />
        ))}
      </div>
      {folded.length > 0 && (
        <Suspense fallback={<Folded current={folded.includes(current) ? current : null} />}>
          <MoreTabs entries={folded} current={current} />
        </Suspense>
      )}
    </nav>
  )
}

/** In the place of the menu until its code is there, with the same words. */
function Folded({ current }: { current: PageEntry | null }) {
  return (
    <span className="more-tabs" data-current={current !== null || undefined}>
      {current?.title ?? text.shell.more}
      <ChevronDown className="icon" aria-hidden="true" />
    </span>
  )
}

/** The settings are many, and have a column of their own where the screen is wide enough. */
export function SettingsNav({ current }: { current: PageEntry }) {
  const entries = pagesOf('settings')
  if (useIsTablet()) return null
  return (
    <nav className="settings-nav" aria-label={text.shell.areas.settings}>
      {sectionNames.map((section) => (
        <section key={section}>
          <h2>{text.shell.sections[section]}</h2>
          <ul>
            {entries
              .filter((entry) => entry.section === section)
              .map((entry) => (
                <li key={entry.path}>
                  <PageLink entry={entry} isCurrent={entry === current} />
                </li>
              ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}

type PageLinkProps = { entry: PageEntry; isCurrent: boolean; isFolded?: boolean }

function PageLink({ entry, isCurrent, isFolded = false }: PageLinkProps) {
  const way = useWay()
  return (
    <Link
      href={way.to(entry.path)}
      data-folded={isFolded || undefined}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {entry.title}
    </Link>
  )
}
