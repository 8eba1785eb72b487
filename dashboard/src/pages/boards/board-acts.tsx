import { type Board, boardLimits } from '@assay/contract'
import { useWrite } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { NamedButton } from '../../reports/named-button.tsx'
import { leaveFreely } from '../../shell/leave-guard.ts'
import { useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'

export function RenameBoard({ board }: { board: Board }) {
  const update = useWrite('updateBoard', ['getBoard', 'listBoards'])
  const words = text.boards
  return (
    <NamedButton
      act={words.rename}
      title={words.rename}
      initial={{ name: board.name, description: board.description }}
      writing={update}
      onSave={async (named) => (await update.send({ params: { id: board.id }, body: named })) !== null}
    />
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
