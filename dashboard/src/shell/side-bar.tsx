import { PanelLeftClose, PanelLeftOpen } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../kit/button.tsx'
import { useIsTablet } from '../kit/use-media.ts'
import markUrl from '../style/mark.svg'
import { text } from '../text.ts'
import { Account } from './account.tsx'
import { AreaIcon } from './area-icon.tsx'
import { type AreaName, areaNames } from './areas.ts'
import { pagesOf } from './pages.ts'
import type { PaletteScope } from './palette.tsx'
import { PaletteButton } from './palette-button.tsx'
import { useWay } from './place.ts'
import { SiteSwitch } from './site-switch.tsx'

/** What was chosen on a wide screen does not hold on a tablet, where the places take their names from the content. */
const memories = { wide: 'assay.sidebar', tablet: 'assay.sidebar.tablet' } as const

type SideBarProps = { area: AreaName | null; onSearch: (scope: PaletteScope) => void }

/** The places, the site and the account. It stays in sight, and can be made narrow. */
export function SideBar({ area, onSearch }: SideBarProps) {
  const isTablet = useIsTablet()
  const memory = isTablet ? memories.tablet : memories.wide
  const [, setToggles] = useState(0)
  const chosen = localStorage.getItem(memory)
  const isNarrow = chosen === null ? isTablet : chosen === 'narrow'
  const way = useWay()
  const toggle = () => {
    localStorage.setItem(memory, isNarrow ? 'wide' : 'narrow')
    setToggles((count) => count + 1)
  }
  const Toggle = isNarrow ? PanelLeftOpen : PanelLeftClose
  return (
    <header className="side" data-narrow={isNarrow}>
      <div className="side-head">
        <Link href={way.to('overview')} className="mark" aria-label={text.product}>
          <img src={markUrl} alt="" />
          <span className="wide-only">{text.product}</span>
        </Link>
        <Button
          look="ghost"
          isCompact
          className="square"
          aria-label={isNarrow ? text.shell.widen : text.shell.narrow}
          onClick={toggle}
        >
          <Toggle className="icon" aria-hidden="true" />
        </Button>
      </div>
      <SiteSwitch onClick={() => onSearch('sites')} />
      <PaletteButton onClick={() => onSearch('everything')} />
      <nav aria-label={text.shell.pages}>
        <AreaLinks current={area} />
      </nav>
      <Account />
    </header>
  )
}

type AreaLinksProps = {
  current: AreaName | null
  only?: readonly AreaName[]
  /** One word for each, where they stand side by side. */
  isShort?: boolean
}

/** One link for each place that has a page. */
export function AreaLinks({ current, only, isShort = false }: AreaLinksProps) {
  const way = useWay()
  return (
    <ul className="areas">
      {areaNames.map((area) => {
        const [first] = pagesOf(area)
        if (first === undefined || only?.includes(area) === false) return null
        const title = text.shell.areas[area]
        return (
          <li key={area} data-area={area}>
            <Link
              href={way.to(first.path)}
              title={title}
              aria-label={title}
              aria-current={area === current ? 'true' : undefined}
            >
              <AreaIcon area={area} />
              <span className="wide-only">{isShort ? text.shell.shortAreas[area] : title}</span>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
