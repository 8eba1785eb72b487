import { type Board, boardLimits } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ReportForm } from '../../reports/report-form.tsx'
import { leaveFreely } from '../../shell/leave-guard.ts'
import { useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'

type Named = { name: string; description: string }

export function RenameBoard({ board }: { board: Board }) {
  const [isOpen, setOpen] = useState(false)
  const update = useWrite('updateBoard', ['getBoard', 'listBoards'])
  const words = text.boards
  const save = async (named: Named) => {
    if ((await update.send({ params: { id: board.id }, body: named })) !== null) setOpen(false)
  }
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {words.rename}
      </Button>
      <ReportForm
        title={words.rename}
        isOpen={isOpen}
        initial={{ name: board.name, description: board.description }}
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

/** A copy, also of a ready board; it opens to be changed. */
export function DuplicateBoard({ board }: { board: Board }) {
  const way = useWay()
  const say = useNotice()
  const duplicate = useWrite('duplicateBoard', ['listBoards'])
  const words = text.boards
  const copy = async () => {
    const name = words.copyName(board.name)
    const made = await duplicate.send({
      params: { id: board.id },
      body: { name: name.slice(0, boardLimits.nameCharactersMax) },
    })
    if (made === null) return say(duplicate.error?.message ?? words.notSaved)
    say(words.duplicated(made.name))
    way.go(way.to(`boards/${made.id}`))
  }
  return (
    <Button disabled={duplicate.isSending} onClick={() => void copy()}>
      {words.duplicate}
    </Button>
  )
}

export function DeleteBoard({ board }: { board: Board }) {
  const way = useWay()
  const say = useNotice()
  const remove = useWrite('deleteBoard', ['listBoards'])
  const words = text.boards
  const confirm = async () => {
    if ((await remove.send({ params: { id: board.id } })) === null) return false
    say(words.deleted(board.name))
    leaveFreely()
    way.go(way.to('boards'))
    return true
  }
  return (
    <Confirm
      act={words.delete}
      title={words.deleteTitle(board.name)}
      error={remove.error}
      isSending={remove.isSending}
      onConfirm={confirm}
    >
      <p>{words.deleteDetail}</p>
    </Confirm>
  )
}
