import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'

type DialogProps = {
  title: string
  isOpen: boolean
  onClose: () => void
  isWide?: boolean
  children: ReactNode
}

/** Keeps the focus inside, closes with Escape, and gives the focus back. */
export function Dialog({ title, isOpen, onClose, isWide = false, children }: DialogProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className={isWide ? 'dialog wide' : 'dialog'}>
          <Base.Title>{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
