import { Menu } from '@base-ui/react/menu'
import { Check, ChevronDown } from 'lucide-react'
import { text } from '../../text.ts'
import type { PageEntry } from '../page-lists/page-entry.ts'
import { useWay } from '../place.ts'

type MoreTabsProps = { entries: readonly PageEntry[]; current: PageEntry }

/** The pages that do not fit next to each other. The one that is open gives the button its name. */
export default function MoreTabs({ entries, current }: MoreTabsProps) {
  const way = useWay()
  const isHere = entries.includes(current)
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className="more-tabs" data-current={isHere || undefined}>
        {isHere && <span className="hidden">{text.shell.more}: </span>}
        {isHere ? current.title : text.shell.more}
        <ChevronDown className="icon" aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={2} align="end" className="menu-place">
          <Menu.Popup className="menu">
            {entries.map((entry) => (
              <Menu.Item key={entry.path} className="menu-item" onClick={() => way.go(way.to(entry.path))}>
                <span className="grow">{entry.title}</span>
                {entry === current && <Check className="icon" aria-hidden="true" />}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
