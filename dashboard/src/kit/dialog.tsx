import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'

type DialogProps = {
  title: string
  isOpen: boolean
  onClose: () => void
  isWide?: boolean
  children: ReactNode
}

const field = ':is(input:not([type=hidden]), select, textarea, [role=combobox]):not(:disabled)'

/**
 * A dialog whose content is still loaded has the focus itself. The first field gets it once it is there, unless the
 * focus has moved meanwhile.
 */
function focusField(popup: HTMLElement | null): (() => void) | undefined {
  if (popup === null) return
  const attempt = () => {
    if (document.activeElement === popup) popup.querySelector<HTMLElement>(field)?.focus()
  }
  const observer = new MutationObserver(attempt)
  const follow = ({ target }: FocusEvent) => (target === popup ? attempt() : stop())
  const stop = () => {
    observer.disconnect()
    popup.removeEventListener('focusin', follow)
  }
  popup.addEventListener('focusin', follow)
  observer.observe(popup, { childList: true, subtree: true })
  return stop
}

/** Focuses its first field, keeps the focus inside, closes with Escape, and gives the focus back. */
export function Dialog({ title, isOpen, onClose, isWide = false, children }: DialogProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className={isWide ? 'dialog wide' : 'dialog'} ref={focusField}>
          <Base.Title>{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
