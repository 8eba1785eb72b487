import { Suspense, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { Button, LinkButton } from '../kit/button.tsx'
import { Page } from '../kit/card.tsx'
import { Loading } from '../kit/states.tsx'
import markUrl from '../style/mark.svg'
import { text } from '../text.ts'
import { AccountMenu } from './account-menu.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { FailingNote } from './failing-note.tsx'
import { Guard } from './guard.tsx'
import { groups, matchPage, type PageEntry, pages } from './pages.ts'
import { usePlace, useWay } from './place.ts'
import { RangeControls } from './range-controls.tsx'
import { RetentionNote } from './retention-note.tsx'
import { SiteSwitch } from './site-switch.tsx'

export function Layout() {
  const [isOpen, setOpen] = useState(false)
  const { path, siteId, parameters } = usePlace()
  const way = useWay()
  const matched = matchPage(path)
  const main = useRef<HTMLElement>(null)
  const [isFirst, setFirst] = useState(true)
  // A followed link focuses the new content, for the keyboard and the screen reader.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page is what this waits for
  useEffect(() => {
    setOpen(false)
    if (isFirst) setFirst(false)
    else main.current?.focus({ preventScroll: true })
    window.scrollTo(0, 0)
  }, [matched?.entry.path, matched?.rest])
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {text.shell.skip}
      </a>
      <header className="top">
        <Link href={way.to('overview')} className="mark">
          <img src={markUrl} alt="" />
          {text.product}
        </Link>
        <Button
          look="ghost"
          className="menu-button"
          aria-expanded={isOpen}
          aria-controls="pages"
          onClick={() => setOpen(!isOpen)}
        >
          {text.shell.menu}
        </Button>
        <SiteSwitch />
        <span className="spacer" />
        <AccountMenu />
        <ConnectionBar />
      </header>
      <nav id="pages" className="side" data-open={isOpen} aria-label={text.shell.pages}>
        {groups.map((group) => (
          <NavGroup key={group} group={group} current={matched?.entry ?? null} />
        ))}
      </nav>
      <main id="content" className="main" ref={main} tabIndex={-1}>
        <div className="content">
          <FailingNote />
          {matched?.entry.range !== undefined && (
            <>
              <RangeControls range={matched.entry.range} />
              <RetentionNote range={matched.entry.range} />
            </>
          )}
          {matched === null ? (
            <NoPage overview={way.to('overview')} />
          ) : (
            <Guard key={`${siteId} ${path}`} place={parameters.toString()}>
              <Suspense fallback={<Loading />}>
                <matched.entry.View rest={matched.rest} />
              </Suspense>
            </Guard>
          )}
        </div>
      </main>
    </div>
  )
}

function NoPage({ overview }: { overview: string }) {
  return (
    <Page title={text.shell.noRoom} lead={text.shell.noRoomDetail}>
      <div>
        <LinkButton href={overview}>{text.pages.overview}</LinkButton>
      </div>
    </Page>
  )
}

type NavGroupProps = { group: (typeof groups)[number]; current: PageEntry | null }

function NavGroup({ group, current }: NavGroupProps) {
  const way = useWay()
  const entries = pages.filter((entry) => entry.group === group)
  if (entries.length === 0) return null
  return (
    <>
      <h2>{text.shell.groups[group]}</h2>
      <ul>
        {entries.map((entry) => (
          <li key={entry.path}>
            <Link href={way.to(entry.path)} aria-current={entry === current ? 'page' : undefined}>
              {entry.title}
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
