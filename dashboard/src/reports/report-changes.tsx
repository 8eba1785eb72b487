import type { Report } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../api/reads.ts'
import { Button } from '../kit/button.tsx'
import { Confirm } from '../kit/confirm.tsx'
import { useNotice } from '../kit/notice.tsx'
import { text } from '../text.ts'
import { ReportForm } from './report-form.tsx'

export function RenameReport({ report }: { report: Report }) {
  const [isOpen, setOpen] = useState(false)
  const update = useWrite('updateReport', ['getReport', 'listReports'])
  const say = useNotice()
  const words = text.savedReports
  const save = async (named: { name: string; description: string }) => {
    if ((await update.send({ params: { id: report.id }, body: named })) === null) return
    setOpen(false)
    say(words.saved)
  }
  return (
    <>
      <Button
        isCompact
        aria-label={words.renameOf(report.name)}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {words.rename}
      </Button>
      <ReportForm
        title={words.renameOf(report.name)}
        isOpen={isOpen}
        initial={{ name: report.name, description: report.description }}
        error={update.error}
        isSending={update.isSending}
        onClose={() => {
          update.reset()
          setOpen(false)
        }}
        onSave={save}
      />
    </>
  )
}

export function DeleteReport({ report, onDone }: { report: Report; onDone?: () => void }) {
  const remove = useWrite('deleteReport', ['listReports'])
  const say = useNotice()
  const words = text.savedReports
  const confirm = async () => {
    const isGone = (await remove.send({ params: { id: report.id } })) !== null
    if (isGone) {
      say(words.deleted(report.name))
      onDone?.()
    }
    return isGone
  }
  return (
    <Confirm
      act={words.delete}
      label={words.deleteOf(report.name)}
      title={words.deleteTitle(report.name)}
      error={remove.error}
      isSending={remove.isSending}
      onConfirm={confirm}
    >
      <p>{words.deleteDetail}</p>
    </Confirm>
  )
}
