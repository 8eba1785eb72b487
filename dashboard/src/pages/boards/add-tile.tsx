import { type Board, boardLimits, type Tile } from '@assay/contract'
import { useState } from 'react'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { text } from '../../text.ts'
import { draftOfTile, newTileDraft, tileAfter, tileFrom } from './tile-draft.ts'
import { TileForm } from './tile-form.tsx'

type TileDialogProps = {
  board: Board
  error: Error | null
  isSending: boolean
  /** Answers whether it was saved; then the dialog closes. */
  onSave: (tile: Tile) => Promise<boolean>
}

/** The tiles are those that stand now, moved ones included. */
export function AddTile({ tiles, onSave, ...rest }: TileDialogProps & { tiles: readonly Tile[] }) {
  const [isOpen, setOpen] = useState(false)
  const words = text.boards
  const isFull = tiles.length >= boardLimits.tilesMax
  return (
    <>
      <Button
        disabled={isFull}
        title={isFull ? words.full(boardLimits.tilesMax) : undefined}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {words.addTile}
      </Button>
      <Dialog title={words.addTile} isOpen={isOpen} isWide onClose={() => setOpen(false)}>
        {isOpen && (
          <TileForm
            {...rest}
            initial={newTileDraft('report')}
            act={words.add}
            onSave={(draft) => onSave(tileFrom(draft, tiles))}
            onClose={() => setOpen(false)}
          />
        )}
      </Dialog>
    </>
  )
}

/** The form of a tile that is there; what it holds then takes the place of the tile. */
export function EditTileDialog({
  tile,
  onSave,
  onClose,
  ...rest
}: TileDialogProps & { tile: Tile | null; onClose: () => void }) {
  return (
    <Dialog title={text.boards.editTile} isOpen={tile !== null} isWide onClose={onClose}>
      {tile !== null && (
        <TileForm
          {...rest}
          initial={draftOfTile(tile)}
          act={text.acts.save}
          onSave={(draft) => onSave(tileAfter(draft, tile))}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}
