import { reportLimits } from '@assay/contract'
import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { AreaField, TextField } from '../kit/field.tsx'
import { Form } from '../kit/form.tsx'
import { ProblemNote } from '../kit/states.tsx'
import { text } from '../text.ts'

type ReportFormProps = {
  title: string
  isOpen: boolean
  initial: { name: string; description: string }
  error: Error | null
  isSending: boolean
  onClose: () => void
  onSave: (named: { name: string; description: string }) => unknown
}

/** Name and description of a report, to save or to change it. */
export function ReportForm({ title, isOpen, onClose, ...fields }: ReportFormProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      {/* Each opening starts from what is saved. */}
      {isOpen && <Fields {...fields} onClose={onClose} />}
    </Dialog>
  )
}

function Fields({ initial, error, isSending, onClose, onSave }: Omit<ReportFormProps, 'title' | 'isOpen'>) {
  const [named, setNamed] = useState(initial)
  const words = text.savedReports
  return (
    <Form onSubmit={() => onSave(named)}>
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
      <ProblemNote error={error} />
      <div className="row end">
        <Button onClick={onClose}>{text.acts.cancel}</Button>
        <Button type="submit" look="primary" disabled={isSending}>
          {text.acts.save}
        </Button>
      </div>
    </Form>
  )
}
