import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { text } from '../text.ts'
import { sectionNames } from './areas.ts'
import { type PageEntry, pagesOf } from './pages.ts'
import { useWay } from './place.ts'

/** The pages of the current place, side by side. The settings are many, and have a column of their own. */
export function AreaTabs({ current }: { current: PageEntry }) {
  const entries = pagesOf(current.area)
  const list = useShownLink(current)
  return (
    <nav className="area-tabs" ref={list} aria-label={text.shell.areas[current.area]}>
      {entries.map((entry) => (
        <PageLink key={entry.path} entry={entry} isCurrent={entry === current} />
      ))}
    </nav>
  )
}

/** Where there is more to scroll to; half a pixel is rounding. */
function hiddenSides({ scrollLeft, scrollWidth, clientWidth }: HTMLElement): string {
  const before = scrollLeft > 1 ? 'before' : ''
  const after = scrollLeft + clientWidth < scrollWidth - 1 ? 'after' : ''
  return `${before} ${after}`.trim()
}

/** On a narrow screen the link of the current page may stand outside the list. */
function useShownLink(current: PageEntry) {
  const list = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is what this waits for
  useEffect(() => {
    const found = list.current
    const mark = () => {
      if (found !== null) found.dataset.more = hiddenSides(found)
    }
    const show = () => {
      const link = found?.querySelector('[aria-current=page]')
      link?.scrollIntoView({ block: 'nearest', inline: 'center' })
      mark()
    }
    show()
    addEventListener('resize', show)
    found?.addEventListener('scroll', mark, { passive: true })
    return () => {
      removeEventListener('resize', show)
      found?.removeEventListener('scroll', mark)
    }
  }, [current.path])
  return list
}

export function SettingsNav({ current }: { current: PageEntry }) {
  const entries = pagesOf('settings')
  const list = useShownLink(current)
  return (
    <nav className="settings-nav" ref={list} aria-label={text.shell.areas.settings}>
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

function PageLink({ entry, isCurrent }: { entry: PageEntry; isCurrent: boolean }) {
  const way = useWay()
  return (
    <Link href={way.to(entry.path)} aria-current={isCurrent ? 'page' : undefined}>
      {entry.title}
    </Link>
  )
}
