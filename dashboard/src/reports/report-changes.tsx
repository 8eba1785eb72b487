import type { Report } from '@assay/contract'
import { useWrite } from '../api/reads.ts'
import { Confirm } from '../kit/confirm.tsx'
import { useNotice } from '../kit/notice.tsx'
import { text } from '../text.ts'
import { type Named, NamedButton } from './named-button.tsx'

export function RenameReport({ report }: { report: Report }) {
  const update = useWrite('updateReport', ['getReport', 'listReports'])
  const say = useNotice()
  const words = text.savedReports
  const save = async (named: Named) => {
    if ((await update.send({ params: { id: report.id }, body: named })) === null) return false
    say(words.saved)
    return true
  }
  return (
    <NamedButton
      isCompact
      act={words.rename}
      label={words.renameOf(report.name)}
      title={words.renameOf(report.name)}
      initial={{ name: report.name, description: report.description }}
      writing={update}
      onSave={save}
    />
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
