import { reportLimits } from '@assay/contract'
import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { AreaField, TextField } from '../kit/field.tsx'
import { Form } from '../kit/form.tsx'
import { ProblemNote } from '../kit/states.tsx'
import { text } from '../text.ts'

export type Named = { name: string; description: string }

type NamedButtonProps = {
  /** On the button. */
  act: string
  /** Above the form. */
  title: string
  /** Where several buttons say the same. */
  label?: string
  look?: 'primary'
  isCompact?: boolean
  initial?: Named
  writing: { error: Error | null; isSending: boolean; reset: () => void }
  /** Answers whether it was saved; then the form closes. */
  onSave: (named: Named) => Promise<boolean>
}

const unnamed: Named = { name: '', description: '' }

/** A button that asks for the name and the description of a report or a board. */
export function NamedButton({ act, title, label, look, isCompact = false, ...form }: NamedButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const close = () => {
    form.writing.reset()
    setOpen(false)
  }
  return (
    <>
      <Button
        isCompact={isCompact}
        {...(look && { look })}
        aria-label={label}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {act}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={close}>
        {/* Each opening starts from what is saved. */}
        {isOpen && <Fields {...form} onClose={close} />}
      </Dialog>
    </>
  )
}

type FieldsProps = Pick<NamedButtonProps, 'initial' | 'writing' | 'onSave'> & { onClose: () => void }

function Fields({ initial = unnamed, writing, onClose, onSave }: FieldsProps) {
  const [named, setNamed] = useState(initial)
  const words = text.savedReports
  const save = async () => {
    if (await onSave(named)) onClose()
  }
  return (
    <Form onSubmit={save}>
      <TextField
        label={words.name}
        name="name"
        value={named.name}
        isRequired
        fault={
          named.name.length > reportLimits.nameCharactersMax
            ? text.form.atMost(reportLimits.nameCharactersMax)
            : null
        }
        onChange={(name) => setNamed({ ...named, name })}
      />
      <AreaField
        label={words.description}
        name="description"
        rows={3}
        value={named.description}
        onChange={(description) => setNamed({ ...named, description })}
      />
      <ProblemNote error={writing.error} />
      <div className="row end">
        <Button onClick={onClose}>{text.acts.cancel}</Button>
        <Button type="submit" look="primary" disabled={writing.isSending}>
          {text.acts.save}
        </Button>
      </div>
    </Form>
  )
}
