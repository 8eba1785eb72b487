import { type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import { LinkButton } from '../kit/button.tsx'
import { Page } from '../kit/card.tsx'
import { Loading } from '../kit/states.tsx'
import { useIsPhone, useIsTablet } from '../kit/use-media.ts'
import { text } from '../text.ts'
import { ConnectionBar } from './connection-bar.tsx'
import { FailingNote } from './failing-note.tsx'
import { Guard } from './guard.tsx'
import { page } from './load-page.ts'
import type { PageEntry } from './page-lists/page-entry.ts'
import { matchPage } from './pages.ts'
import type { PaletteScope } from './palette.tsx'
import { PhoneBar, PhoneTop } from './phone-bars.tsx'
import { usePlace, useWay } from './place.ts'
import { RangeControls } from './range-controls.tsx'
import { RetentionNote } from './retention-note.tsx'
import { SideBar } from './side-bar.tsx'
import { AreaTabs, SettingsNav } from './tabs/area-tabs.tsx'
import { useEarlyKeys, usePaletteKey } from './use-palette-key.ts'

const loadPalette = () => import('./palette.tsx')
const Palette = page(loadPalette)
/** A failure is shown when it is opened. */
const preparePalette = () => void loadPalette().catch(() => undefined)

export function Layout() {
  const { path } = usePlace()
  const matched = matchPage(path)
  const isPhone = useIsPhone()
  const [scope, setScope] = useState<PaletteScope | null>(null)
  const early = useRef('')
  usePaletteKey(() => setScope('everything'), preparePalette)
  const close = () => {
    early.current = ''
    setScope(null)
  }
  const area = matched?.entry.area ?? null
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {text.shell.skip}
      </a>
      {isPhone ? <PhoneTop onSearch={setScope} /> : <SideBar area={area} onSearch={setScope} />}
      <Content matched={matched} />
      {isPhone && <PhoneBar area={area} path={path} />}
      {scope !== null && (
        <Suspense fallback={<EarlyKeys early={early} />}>
          <Palette scope={scope} early={early} onClose={close} />
        </Suspense>
      )}
    </div>
  )
}

/** Stands for the palette while it is loaded, so that nothing typed is lost. */
function EarlyKeys({ early }: { early: RefObject<string> }) {
  useEarlyKeys((key) => {
    early.current += key
  })
  return null
}

type Matched = { entry: PageEntry; rest: string }

function Content({ matched }: { matched: Matched | null }) {
  const { path, siteId, parameters } = usePlace()
  const way = useWay()
  const main = useRef<HTMLElement>(null)
  const [isFirst, setFirst] = useState(true)
  // A followed link focuses the new content, for the keyboard and the screen reader.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page is what this waits for
  useEffect(() => {
    if (isFirst) setFirst(false)
    else main.current?.focus({ preventScroll: true })
    window.scrollTo(0, 0)
  }, [matched?.entry.path, matched?.rest])
  return (
    <main id="content" className="main" ref={main} tabIndex={-1}>
      <ConnectionBar />
      {matched !== null && <Head entry={matched.entry} />}
      <div className={matched?.entry.area === 'settings' ? 'content with-nav' : 'content'}>
        {matched?.entry.area === 'settings' && <SettingsNav current={matched.entry} />}
        <div className="content-body">
          <FailingNote />
          {matched?.entry.range !== undefined && <RetentionNote range={matched.entry.range} />}
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
      </div>
    </main>
  )
}

/** Stays in sight: which page of the place this is, and which time it shows. */
function Head({ entry }: { entry: PageEntry }) {
  const isTablet = useIsTablet()
  const hasTabs = entry.area !== 'settings' || isTablet
  if (!hasTabs && entry.range === undefined) return null
  return (
    <div className="head">
      {hasTabs && <AreaTabs current={entry} />}
      {entry.range !== undefined && <RangeControls range={entry.range} />}
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
