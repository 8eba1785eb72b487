import { boardLimits } from '@assay/contract'

/** Where a tile stands on the grid: columns from the left, rows from the top. */
export type Spot = { id: string; x: number; y: number; width: number; height: number }
export type Direction = 'left' | 'right' | 'up' | 'down'
export type Growth = 'wider' | 'narrower' | 'taller' | 'shorter'

const { columns, rowsMax, tileRowsMax } = boardLimits
/** Narrower or lower tiles have no space for a figure. */
const widthMin = 2
const heightMin = 2

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))
const shareColumns = (a: Spot, b: Spot) => a.x < b.x + b.width && b.x < a.x + a.width
const shareRows = (a: Spot, b: Spot) => a.y < b.y + b.height && b.y < a.y + a.height

/** From top to bottom, each row from left to right. A phone shows tiles in this order. */
export function inReadingOrder<One extends Spot>(tiles: readonly One[]): readonly One[] {
  return tiles.toSorted((a, b) => a.y - b.y || a.x - b.x)
}

/** Without gaps above a tile, and without overlaps: each falls up to the tiles that stand before it. */
export function packed<One extends Spot>(tiles: readonly One[]): readonly One[] {
  const placed: One[] = []
  for (const tile of inReadingOrder(tiles)) {
    const width = clamp(tile.width, 1, columns)
    const spot = { ...tile, width, x: clamp(tile.x, 0, columns - width) }
    const above = placed.filter((other) => shareColumns(other, spot))
    const y = Math.max(0, ...above.map((other) => other.y + other.height))
    placed.push({ ...spot, y: Math.min(y, rowsMax) })
  }
  return inReadingOrder(placed)
}

const changed = <One extends Spot>(tiles: readonly One[], id: string, change: Partial<Spot>) =>
  tiles.map((tile) => (tile.id === id ? { ...tile, ...change } : tile))

/** One step: past the tile next to it, or a column. */
export function moved<One extends Spot>(
  tiles: readonly One[],
  id: string,
  direction: Direction,
): readonly One[] {
  const tile = tiles.find((one) => one.id === id)
  if (tile === undefined) return tiles
  if (direction === 'up' || direction === 'down') return packed(movedInRows(tiles, tile, direction))
  const isRight = direction === 'right'
  const next = tiles.find((other) => other.y === tile.y && touches(tile, other, isRight))
  if (next === undefined) return packed(changed(tiles, id, { x: tile.x + (isRight ? 1 : -1) }))
  const [left, right] = isRight ? [tile, next] : [next, tile]
  const swapped = changed(tiles, right.id, { x: left.x })
  return packed(changed(swapped, left.id, { x: left.x + right.width }))
}

const touches = (tile: Spot, other: Spot, isRight: boolean) =>
  isRight ? tile.x + tile.width === other.x : other.x + other.width === tile.x

function movedInRows<One extends Spot>(tiles: readonly One[], tile: One, direction: 'up' | 'down') {
  const others = tiles.filter((other) => other.id !== tile.id && shareColumns(other, tile))
  if (direction === 'up') {
    const above = others.filter((other) => other.y < tile.y)
    // Half a row before the nearest: it comes first, and the nearest falls below it.
    return above.length === 0
      ? tiles
      : changed(tiles, tile.id, { y: Math.max(...above.map(({ y }) => y)) - 0.5 })
  }
  const below = others.filter((other) => other.y > tile.y)
  return below.length === 0
    ? tiles
    : changed(tiles, tile.id, { y: Math.min(...below.map(({ y }) => y)) + 0.5 })
}

/** Dropped with its corner at a place of the grid. */
export function dropped<One extends Spot>(
  tiles: readonly One[],
  id: string,
  to: { x: number; y: number },
): readonly One[] {
  const tile = tiles.find((one) => one.id === id)
  if (tile === undefined) return tiles
  const x = clamp(to.x, 0, columns - tile.width)
  const y = to.y > tile.y ? to.y + 0.5 : to.y - 0.5
  return packed(changed(tiles, id, { x, y: to.y === tile.y ? tile.y : y }))
}

export function resized<One extends Spot>(
  tiles: readonly One[],
  id: string,
  size: { width: number; height: number },
): readonly One[] {
  const tile = tiles.find((one) => one.id === id)
  if (tile === undefined) return tiles
  return packed(
    changed(tiles, id, {
      width: clamp(size.width, widthMin, columns - tile.x),
      height: clamp(size.height, heightMin, tileRowsMax),
    }),
  )
}

/** A wider tile that stands at the right edge grows to the left. */
export function grown<One extends Spot>(tiles: readonly One[], id: string, growth: Growth): readonly One[] {
  const tile = tiles.find((one) => one.id === id)
  if (tile === undefined) return tiles
  const { width, height } = tile
  if (growth === 'taller') return resized(tiles, id, { width, height: height + 1 })
  if (growth === 'shorter') return resized(tiles, id, { width, height: height - 1 })
  if (growth === 'narrower') return resized(tiles, id, { width: width - 1, height })
  const isAtEdge = tile.x + width >= columns && tile.x > 0
  const moved = isAtEdge ? changed(tiles, id, { x: tile.x - 1 }) : tiles
  return resized(moved, id, { width: width + 1, height })
}

/** A board from elsewhere may have tiles on top of each other: those below make space, and gaps stay. */
export function apart<One extends Spot>(tiles: readonly One[]): readonly One[] {
  const placed: One[] = []
  for (const tile of inReadingOrder(tiles)) {
    const width = clamp(tile.width, 1, columns - clamp(tile.x, 0, columns - 1))
    let spot = { ...tile, width }
    for (;;) {
      const hit = placed.find((other) => shareColumns(other, spot) && shareRows(other, spot))
      if (hit === undefined) break
      spot = { ...spot, y: hit.y + hit.height }
    }
    placed.push(spot)
  }
  return inReadingOrder(placed)
}

/** Next to a tile if there is space, or below all. */
export function freeSpot(tiles: readonly Spot[], size: { width: number; height: number }): Omit<Spot, 'id'> {
  const bottom = Math.max(0, ...tiles.map(({ y, height }) => y + height))
  const candidates = inReadingOrder(tiles).map(({ x, y, width }) => ({ ...size, id: '', x: x + width, y }))
  const free = candidates.find(
    (spot) =>
      spot.x + spot.width <= columns &&
      !tiles.some((other) => shareColumns(other, spot) && shareRows(other, spot)),
  )
  const { x, y } = free ?? { x: 0, y: bottom }
  return { ...size, x, y: Math.min(y, rowsMax) }
}
