import { Menu as MenuIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { Dialog } from '../kit/dialog.tsx'
import markUrl from '../style/mark.svg'
import { text } from '../text.ts'
import { Account } from './account.tsx'
import type { AreaName } from './areas.ts'
import { areaNames } from './areas.ts'
import { pagesOf } from './pages.ts'
import type { PaletteScope } from './palette.tsx'
import { PaletteButton } from './palette-button.tsx'
import { useWay } from './place.ts'
import { AreaLinks } from './side-bar.tsx'
import { SiteSwitch } from './site-switch.tsx'

/** Within reach of a thumb; the others are behind "More". */
const nearest: readonly AreaName[] = ['home', 'explore', 'errors', 'quality']

export function PhoneTop({ onSearch }: { onSearch: (scope: PaletteScope) => void }) {
  const way = useWay()
  return (
    <header className="phone-top">
      <Link href={way.to('overview')} className="mark" aria-label={text.product}>
        <img src={markUrl} alt="" />
      </Link>
      <SiteSwitch onClick={() => onSearch('sites')} />
      <PaletteButton onClick={() => onSearch('everything')} />
      <Account />
    </header>
  )
}

export function PhoneBar({ area, path }: { area: AreaName | null; path: string }) {
  const [isOpen, setOpen] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a followed link closes it
  useEffect(() => setOpen(false), [path])
  return (
    <>
      <nav className="phone-bar" aria-label={text.shell.pages}>
        <AreaLinks current={area} only={nearest} isShort />
        <button
          type="button"
          aria-expanded={isOpen}
          data-current={area !== null && !nearest.includes(area) ? '' : undefined}
          onClick={() => setOpen(true)}
        >
          <MenuIcon className="icon" aria-hidden="true" />
          {text.shell.more}
        </button>
      </nav>
      <Dialog title={text.shell.pages} isOpen={isOpen} onClose={() => setOpen(false)}>
        <AllPages path={path} />
      </Dialog>
    </>
  )
}

function AllPages({ path }: { path: string }) {
  const way = useWay()
  return (
    <div className="all-pages">
      {areaNames.map((area) => {
        const entries = pagesOf(area)
        if (entries.length === 0) return null
        return (
          <section key={area}>
            <h3>{text.shell.areas[area]}</h3>
            <ul>
              {entries.map((entry) => (
                <li key={entry.path}>
                  <Link href={way.to(entry.path)} aria-current={entry.path === path ? 'page' : undefined}>
                    {entry.title}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}
