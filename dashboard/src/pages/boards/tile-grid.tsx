import { boardLimits, type Tile } from '@assay/contract'
import { GripVertical } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { text } from '../../text.ts'
import {
  apart,
  type Direction,
  dropped,
  type Growth,
  grown,
  inReadingOrder,
  moved,
  resized,
} from './layout.ts'
import { RenameTile } from './rename-tile.tsx'
import { gapPixels, rowPixels, TileFrame, useTileTitle } from './tile-frame.tsx'
import { TileMenu } from './tile-menu.tsx'
import type { TileQuery } from './tile-parameters.ts'
import { useDrag } from './use-drag.ts'

type TileGridProps = { boardId: string; tiles: readonly Tile[]; query: TileQuery }

/** The tiles as the board has them; one below the other on a small screen. */
export function TileGrid({ boardId, tiles, query }: TileGridProps) {
  return (
    <section className="tiles" aria-label={text.boards.grid}>
      {apart(tiles).map((tile) => (
        <TileFrame key={tile.id} boardId={boardId} tile={tile} query={query} />
      ))}
    </section>
  )
}

type EditGridProps = TileGridProps & {
  onChange: (tiles: readonly Tile[]) => void
  onEdit: (tile: Tile) => void
}

/** The same while it is edited: tiles are moved and resized with a pointer or with keys. */
export function EditGrid({ boardId, tiles, query, onChange, onEdit }: EditGridProps) {
  const grid = useRef<HTMLElement>(null)
  const [said, setSaid] = useState('')
  // An element that is put elsewhere in the document loses the focus and the pointer that drags it.
  const [first] = useState(() => inReadingOrder(tiles).map(({ id }) => id))
  const placeOf = ({ id }: Tile) => (first.includes(id) ? first.indexOf(id) : first.length)
  const reading = inReadingOrder(tiles)
  const cellOf = () => ({
    width: ((grid.current?.clientWidth ?? 0) + gapPixels) / boardLimits.columns,
    height: rowPixels + gapPixels,
  })
  const change = (next: readonly Tile[], id: string, title: string) => {
    const tile = next.find((one) => one.id === id)
    if (tile !== undefined) setSaid(text.boards.placed(title, tile.x + 1, tile.y + 1))
    onChange(next)
  }
  return (
    <section className="tiles editing" aria-label={text.boards.grid} ref={grid}>
      {tiles
        .toSorted((a, b) => placeOf(a) - placeOf(b))
        .map((tile) => (
          <EditTile
            key={tile.id}
            {...{ boardId, tile, tiles, query, cellOf }}
            order={reading.indexOf(tile)}
            onChange={change}
            onEdit={onEdit}
          />
        ))}
      <p className="hidden" aria-live="polite">
        {said}
      </p>
    </section>
  )
}

type EditTileProps = {
  boardId: string
  tile: Tile
  tiles: readonly Tile[]
  query: TileQuery
  cellOf: () => { width: number; height: number }
  order: number
  onChange: (tiles: readonly Tile[], id: string, title: string) => void
  onEdit: (tile: Tile) => void
}

const arrows: Readonly<Record<string, { move: Direction; grow: Growth }>> = {
  ArrowLeft: { move: 'left', grow: 'narrower' },
  ArrowRight: { move: 'right', grow: 'wider' },
  ArrowUp: { move: 'up', grow: 'shorter' },
  ArrowDown: { move: 'down', grow: 'taller' },
}

function EditTile({ boardId, tile, tiles, query, cellOf, order, onChange, onEdit }: EditTileProps) {
  const title = useTileTitle(tile)
  const words = text.boards
  const [isNaming, setNaming] = useState(false)
  const before = useRef(tiles)
  const { id } = tile
  const change = (next: readonly Tile[]) => onChange(next, id, title)
  const start = () => {
    before.current = tiles
  }
  const ofDrag = () => before.current.find((one) => one.id === id) ?? tile
  const moving = useDrag(cellOf, {
    start,
    move: ({ columns, rows }) => {
      const { x, y } = ofDrag()
      change(dropped(before.current, id, { x: x + columns, y: Math.max(0, y + rows) }))
    },
    end: start,
  })
  const sizing = useDrag(cellOf, {
    start,
    move: ({ columns, rows }) => {
      const { width, height } = ofDrag()
      change(resized(before.current, id, { width: width + columns, height: height + rows }))
    },
    end: start,
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const arrow = arrows[event.key]
    if (arrow === undefined) return
    event.preventDefault()
    change(event.shiftKey ? grown(tiles, id, arrow.grow) : moved(tiles, id, arrow.move))
  }
  return (
    <>
      <TileFrame
        {...{ boardId, tile, query, order }}
        handle={
          <button
            type="button"
            className="tile-handle"
            aria-label={words.moveTile(title)}
            title={words.moveHint}
            onKeyDown={onKeyDown}
            {...moving}
          >
            <GripVertical className="icon" aria-hidden="true" />
          </button>
        }
        menu={
          <TileMenu
            title={title}
            onMove={(direction) => change(moved(tiles, id, direction))}
            onGrow={(growth) => change(grown(tiles, id, growth))}
            onEdit={() => onEdit(tile)}
            onRename={() => setNaming(true)}
            onRemove={() => change(tiles.filter((one) => one.id !== id))}
          />
        }
        corner={<span className="tile-corner" title={words.resizeTile} aria-hidden="true" {...sizing} />}
      />
      <RenameTile
        title={tile.title ?? ''}
        isOpen={isNaming}
        onClose={() => setNaming(false)}
        onRename={(named) => change(tiles.map((one) => (one.id === id ? { ...one, title: named } : one)))}
      />
    </>
  )
}
