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

/** On a narrow screen the link of the current page may stand outside the list. */
function useShownLink(current: PageEntry) {
  const list = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is what this waits for
  useEffect(() => {
    const show = () => {
      const link = list.current?.querySelector('[aria-current=page]')
      link?.scrollIntoView({ block: 'nearest', inline: 'center' })
    }
    show()
    addEventListener('resize', show)
    return () => removeEventListener('resize', show)
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
