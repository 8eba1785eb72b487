import { boardLimits } from '@assay/contract'
import { useState } from 'react'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { text } from '../../text.ts'

type RenameTileProps = {
  title: string
  isOpen: boolean
  onClose: () => void
  onRename: (title: string) => void
}

export function RenameTile({ isOpen, onClose, ...fields }: RenameTileProps) {
  return (
    <Dialog title={text.boards.renameTile} isOpen={isOpen} onClose={onClose}>
      {isOpen && <Fields {...fields} onClose={onClose} />}
    </Dialog>
  )
}

function Fields({ title, onClose, onRename }: Omit<RenameTileProps, 'isOpen'>) {
  const [named, setNamed] = useState(title)
  return (
    <Form
      onSubmit={() => {
        onRename(named.trim())
        onClose()
      }}
    >
      <TextField label={text.boards.title} value={named} onChange={setNamed} fault={titleFault(named)} />
      <div className="row end">
        <Button onClick={onClose}>{text.acts.cancel}</Button>
        <Button type="submit" look="primary">
          {text.boards.rename}
        </Button>
      </div>
    </Form>
  )
}

export const titleFault = (title: string): string | null =>
  title.length > boardLimits.nameCharactersMax ? text.form.atMost(boardLimits.nameCharactersMax) : null
