import type { Board, Narrowing, Tile } from '@assay/contract'
import { useState } from 'react'
import { useRead, useRefresh, useWrite } from '../../api/reads.ts'
import { FilterBar } from '../../filters/filter-bar.tsx'
import { periodWords } from '../../filters/saved-filters.ts'
import { Button } from '../../kit/button.tsx'
import { Page } from '../../kit/card.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { Empty, ProblemNote, Shown } from '../../kit/states.tsx'
import { ShareButton } from '../../shares/share-button.tsx'
import { useLeaveGuard } from '../../shell/leave-guard.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { RangeControls } from '../../shell/range-controls.tsx'
import { useMay } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { AddTile, EditTileDialog } from './add-tile.tsx'
import { DeleteBoard, DuplicateBoard, RenameBoard } from './board-acts.tsx'
import { BoardFilters, NarrowingFields } from './board-filters.tsx'
import { packed } from './layout.ts'
import { EditGrid, TileGrid } from './tile-grid.tsx'
import { hasPeriod, tileQueryOf } from './tile-parameters.ts'

/** One board, to read or to edit. */
export function BoardPage({ id }: { id: string }) {
  const board = useRead('getBoard', { params: { id } })
  const { parameters } = usePlace()
  const mayWrite = useMay('analytics:write')
  const isEditing = mayWrite && parameters.get('edit') === '1' && board.data?.isReady === false
  if (board.data === undefined) {
    return (
      <Page title={text.pages.boards}>
        <Shown of={board} lines={10}>
          {() => null}
        </Shown>
      </Page>
    )
  }
  return isEditing ? <BoardEditor board={board.data} /> : <BoardReader board={board.data} />
}

/** In which period and with which filters the tiles are asked. */
function useTileQuery() {
  const { parameters } = usePlace()
  return tileQueryOf(parameters)
}

function BoardReader({ board }: { board: Board }) {
  const way = useWay()
  const mayWrite = useMay('analytics:write')
  const query = useTileQuery()
  const words = text.boards
  const edit = () => way.go(way.here({ edit: '1' }))
  const acts = mayWrite && (
    <>
      <ShareButton type="board" targetId={board.id} name={board.name} />
      <DuplicateBoard board={board} />
      {!board.isReady && (
        <Button look="primary" onClick={edit}>
          {words.edit}
        </Button>
      )}
    </>
  )
  return (
    <Page
      title={board.name || words.unnamed}
      lead={board.description}
      acts={acts}
      back={{ href: way.to('boards'), title: words.back }}
    >
      <BoardBar board={board} />
      {board.tiles.length === 0 ? (
        <Empty title={words.empty}>
          <p>{words.emptyDetail}</p>
          {mayWrite && !board.isReady && <Button onClick={edit}>{words.addTiles}</Button>}
        </Empty>
      ) : (
        <TileGrid boardId={board.id} tiles={board.tiles} query={query} />
      )}
    </Page>
  )
}

/** Period and filters of the address, next to those of the board. */
function BoardBar({ board }: { board: Board }) {
  const { parameters } = usePlace()
  const way = useWay()
  const words = text.boards
  const own = periodWords(board.narrowing)
  return (
    <div className="board-bar">
      <BoardFilters narrowing={board.narrowing} />
      <FilterBar />
      <div className="row board-range">
        {hasPeriod(parameters) && own !== null && (
          <Button
            isCompact
            look="ghost"
            onClick={() => way.go(way.here({ window: null, from: null, to: null }))}
          >
            {words.resetPeriod}
          </Button>
        )}
        <RangeControls range="days" unset={own === null ? words.ownPeriod : words.ofBoard(own)} />
      </div>
    </div>
  )
}

type Draft = { tiles: readonly Tile[]; narrowing: Narrowing }

/** The tiles and the narrowing while they are edited, and what saves them. */
function useBoardDraft(board: Board) {
  const say = useNotice()
  const refresh = useRefresh()
  const words = text.boards
  const update = useWrite('updateBoard', ['getBoard', 'listBoards'])
  const [draft, setDraft] = useState<Draft>(() => ({
    tiles: packed(board.tiles),
    narrowing: board.narrowing,
  }))
  const isChanged =
    JSON.stringify(draft) !== JSON.stringify({ tiles: packed(board.tiles), narrowing: board.narrowing })
  const save = async ({ tiles, narrowing }: Draft): Promise<boolean> => {
    const saved = await update.send({ params: { id: board.id }, body: { tiles: [...tiles], narrowing } })
    if (saved === null) return false
    if (JSON.stringify(narrowing) !== JSON.stringify(board.narrowing)) refresh('getTileResult')
    setDraft({ tiles: packed(saved.tiles), narrowing: saved.narrowing })
    return true
  }
  const add = async (tile: Tile) => {
    const isAdded = await save({ ...draft, tiles: packed([...draft.tiles, tile]) })
    if (isAdded) say(words.added)
    return isAdded
  }
  const replace = async (tile: Tile) => {
    const isSaved = await save({
      ...draft,
      tiles: draft.tiles.map((one) => (one.id === tile.id ? tile : one)),
    })
    if (isSaved) {
      refresh('getTileResult')
      say(words.tileSaved)
    }
    return isSaved
  }
  return { draft, setDraft, isChanged, update, save, add, replace }
}

function BoardEditor({ board }: { board: Board }) {
  const way = useWay()
  const say = useNotice()
  const query = useTileQuery()
  const words = text.boards
  const { draft, setDraft, isChanged, update, save, add, replace } = useBoardDraft(board)
  const [edited, setEdited] = useState<Tile | null>(null)
  const sending = { board, error: update.error, isSending: update.isSending }
  const leave = () => way.go(way.here({ edit: null }))
  const done = async () => {
    if (isChanged && !(await save(draft))) return
    if (isChanged) say(words.saved)
    leave()
  }
  const acts = (
    <>
      {isChanged && <span className="soft small">{words.changed}</span>}
      <AddTile {...sending} tiles={draft.tiles} onSave={add} />
      <RenameBoard board={board} />
      <DeleteBoard board={board} />
      <Button onClick={leave}>{text.acts.cancel}</Button>
      <Button look="primary" disabled={update.isSending} onClick={() => void done()}>
        {words.done}
      </Button>
    </>
  )
  return (
    <Page title={board.name || words.unnamed} lead={board.description} acts={acts}>
      <ProblemNote error={update.error} />
      <LeaveQuestion isChanged={isChanged} />
      <NarrowingFields
        narrowing={draft.narrowing}
        onChange={(narrowing) => setDraft({ ...draft, narrowing })}
      />
      {draft.tiles.length === 0 ? (
        <Empty title={words.empty}>{words.emptyDetail}</Empty>
      ) : (
        <EditGrid
          boardId={board.id}
          tiles={draft.tiles}
          query={query}
          onChange={(tiles) => setDraft({ ...draft, tiles })}
          onEdit={setEdited}
        />
      )}
      <EditTileDialog {...sending} tile={edited} onSave={replace} onClose={() => setEdited(null)} />
    </Page>
  )
}

/** Asks before changes are lost. */
function LeaveQuestion({ isChanged }: { isChanged: boolean }) {
  const { isAsking, leave, stay } = useLeaveGuard(isChanged)
  const words = text.boards
  return (
    <Dialog title={words.leaveTitle} isOpen={isAsking} onClose={stay}>
      <p>{words.leaveMeans}</p>
      <div className="row end">
        <Button onClick={leave}>{words.leave}</Button>
        <Button look="primary" onClick={stay}>
          {words.stay}
        </Button>
      </div>
    </Dialog>
  )
}
