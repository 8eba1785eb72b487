import { type Board, boardLimits, type ReportKind, type ReportView, type Tile } from '@assay/contract'
import { useState } from 'react'
import { useRead, useWrite } from '../api/reads.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { SelectField, TextField } from '../kit/field.tsx'
import { Form } from '../kit/form.tsx'
import { useNotice } from '../kit/notice.tsx'
import { ProblemNote, Shown } from '../kit/states.tsx'
import { usePlace } from '../shell/place.ts'
import { text } from '../text.ts'

type AddToBoardProps = {
  kind: ReportKind
  question: Readonly<Record<string, unknown>>
  view: ReportView | undefined
  /** A saved report: its tile changes with it. Null: the tile has the question itself. */
  reportId: string | null
  title?: string | undefined
}

/** Puts what the page asks on a board of the site, below what is there. */
export function AddToBoard(props: AddToBoardProps) {
  const [isOpen, setOpen] = useState(false)
  const { siteId } = usePlace()
  const boards = useRead(
    'listBoards',
    { query: { siteId, limit: boardLimits.boardsMax } },
    { isOff: !isOpen },
  )
  const words = text.savedReports
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {words.toBoard}
      </Button>
      <Dialog title={words.toBoard} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Shown of={boards}>
          {({ data }) => <BoardForm {...props} boards={data} onClose={() => setOpen(false)} />}
        </Shown>
      </Dialog>
    </>
  )
}

const newBoard = ''

type BoardFormProps = AddToBoardProps & { boards: readonly Board[]; onClose: () => void }

function BoardForm({ boards, onClose, ...what }: BoardFormProps) {
  const { siteId } = usePlace()
  const say = useNotice()
  const free = boards.filter(({ tiles }) => tiles.length < boardLimits.tilesMax)
  const [boardId, setBoardId] = useState(free[0]?.id ?? newBoard)
  const [name, setName] = useState('')
  const [title, setTitle] = useState(what.title ?? '')
  const create = useWrite('createBoard', ['listBoards'])
  const update = useWrite('updateBoard', ['listBoards', 'getBoard'])
  const words = text.savedReports
  const board = free.find(({ id }) => id === boardId)
  const save = async () => {
    const tiles = [...(board?.tiles ?? []), tileOf(what, title.trim(), board?.tiles ?? [])]
    const saved =
      board === undefined
        ? await create.send({ body: { siteId, name, tiles } })
        : await update.send({ params: { id: board.id }, body: { tiles } })
    if (saved === null) return
    say(words.added(saved.name))
    onClose()
  }
  return (
    <Form onSubmit={save}>
      <SelectField
        label={words.board}
        value={boardId}
        choices={[
          ...free.map(({ id, name }) => ({ value: id, label: name })),
          { value: newBoard, label: words.newBoard },
        ]}
        onChange={setBoardId}
      />
      {boardId === newBoard && (
        <TextField label={words.boardName} name="name" value={name} isRequired onChange={setName} />
      )}
      <TextField label={words.tileTitle} value={title} onChange={setTitle} fault={titleFault(title)} />
      <ProblemNote error={board === undefined ? create.error : update.error} />
      <div className="row end">
        <Button onClick={onClose}>{text.acts.cancel}</Button>
        <Button type="submit" look="primary" disabled={create.isSending || update.isSending}>
          {words.add}
        </Button>
      </div>
    </Form>
  )
}

const titleFault = (title: string) =>
  title.length > boardLimits.nameCharactersMax ? text.form.atMost(boardLimits.nameCharactersMax) : null

/** Half a row wide, below everything else. */
function tileOf(what: AddToBoardProps, title: string, others: readonly Tile[]): Tile {
  const y = Math.max(0, ...others.map((tile) => tile.y + tile.height))
  const place = {
    id: crypto.randomUUID(),
    x: 0,
    y: Math.min(y, boardLimits.rowsMax),
    width: 6,
    height: 5,
    ...(title !== '' && { title }),
  }
  return what.reportId === null
    ? {
        ...place,
        type: 'question',
        kind: what.kind,
        question: what.question,
        ...(what.view !== undefined && { view: what.view }),
      }
    : { ...place, type: 'report', reportId: what.reportId }
}
