import { type ReactNode, useState } from 'react'
import { text } from '../text.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'
import { useForm } from './form-state.ts'
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
  const around = useForm()
  const isDanger = more.isDanger ?? true
  const confirm = async () => {
    if (await onConfirm()) setOpen(false)
  }
  return (
    <>
      <Button
        isCompact
        look={isDanger ? 'danger' : 'usual'}
        // Inside a form it is about what is typed there.
        aria-haspopup="dialog"
        onClick={() => setOpen(around === null || around.check())}
        aria-label={more.label}
      >
        {act}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Form onSubmit={confirm}>
          {children}
          <ProblemNote error={error} />
          <div className="row end">
            <Button onClick={() => setOpen(false)}>{text.acts.cancel}</Button>
            <Button type="submit" look={isDanger ? 'danger' : 'primary'} disabled={isSending}>
              {act}
            </Button>
          </div>
        </Form>
      </Dialog>
    </>
  )
}
