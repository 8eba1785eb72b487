import { type ReactNode, useState } from 'react'
import { text } from '../text.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ProblemNote } from './states.tsx'

type ConfirmProps = {
  /** On the button that opens it, and on the one that does it. */
  act: string
  title: string
  children: ReactNode
  error: Error | null
  isSending: boolean
  /** Answers whether it was done; then the dialog closes. */
  onConfirm: () => Promise<boolean>
  label?: string
  isDanger?: boolean
}

/** Asks before something that cannot be taken back, or that others will notice. */
export function Confirm({ act, title, children, error, isSending, onConfirm, ...more }: ConfirmProps) {
  const [isOpen, setOpen] = useState(false)
  const isDanger = more.isDanger ?? true
  const confirm = async () => {
    if (await onConfirm()) setOpen(false)
  }
  return (
    <>
      <Button
        isCompact
        look={isDanger ? 'danger' : 'usual'}
        onClick={() => setOpen(true)}
        aria-label={more.label}
      >
        {act}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <div className="stack">{children}</div>
        <ProblemNote error={error} />
        <div className="row end">
          <Button onClick={() => setOpen(false)}>{text.acts.cancel}</Button>
          <Button look={isDanger ? 'danger' : 'primary'} disabled={isSending} onClick={() => void confirm()}>
            {act}
          </Button>
        </div>
      </Dialog>
    </>
  )
}
