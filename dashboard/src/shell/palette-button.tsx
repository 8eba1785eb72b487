import { Search } from 'lucide-react'
import { text } from '../text.ts'

/** As the keyboard of this machine calls it. */
const shortcut = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K'

export function PaletteButton({ onClick }: { onClick: () => void }) {
  return (
    <button type="button" className="search-button" onClick={onClick}>
      <Search className="icon" aria-hidden="true" />
      <span className="wide-only">{text.palette.title}</span>
      <span className="kbd wide-only" aria-hidden="true">
        {shortcut}
      </span>
    </button>
  )
}
