import { DayCount } from '../../../analytics/kept-rows/day-count.ts'
import { placesOf } from '../../../analytics/rollups/visit-rollup.ts'
import type { Chunk } from '../../../analytics/tally/chunk.ts'
import { eventRowsOf } from '../../../analytics/tally/event-rows.ts'
import type { RowNumbers } from '../../../analytics/tally/row-numbers.ts'
import { cellsMax } from '../landmark.ts'
import { countCells } from './cell-counts.ts'
import { eachWalk, firstRowsOf } from './session-walks.ts'

/** Sessions of some rows as they were walked, in order of appearance, with the steps that each took in each cell. */
export type DayWalks = {
  session: Int32Array
  /** As the events have them, before merges; -1 for none. */
  person: Int32Array
  device: Int32Array
  startedMs: Float64Array
  hasBought: Uint8Array
  /** Events that are no errors. */
  length: Int32Array
  /** The cells of a session begin at its start and end at the next. */
  starts: Int32Array
  cells: Uint16Array
  counts: Uint8Array
}

/** What a session did does not depend on what is asked, as long as it lies in one part and met no error. */
export const dayWalks = new DayCount(walkDay, bytesOf)

function walkDay(chunk: Chunk, numbers: RowNumbers): DayWalks {
  const { session, placeOf } = placesOf(chunk.session, numbers.sessions.size)
  const everyone = { people: numbers.people.size, current: null, personNumber: () => -1 }
  const rows = { ...eventRowsOf(chunk, numbers, everyone), session: placeOf, sessions: session.length }
  const firsts = firstRowsOf(rows)
  const walks: DayWalks = {
    session,
    person: Int32Array.from(firsts, (row) => chunk.person[row] ?? -1),
    device: Int32Array.from(firsts, (row) => chunk.texts.device[row] ?? 0),
    startedMs: Float64Array.from(firsts, (row) => chunk.ms[row] ?? 0),
    hasBought: new Uint8Array(session.length),
    length: new Int32Array(session.length),
    starts: new Int32Array(session.length + 1),
    cells: new Uint16Array(chunk.count),
    counts: new Uint8Array(chunk.count),
  }
  const [counts, cells] = [new Int32Array(cellsMax), new Uint16Array(cellsMax)]
  let [visit, size] = [0, 0]
  eachWalk(rows, new Int32Array(chunk.errors.row.length).fill(-1), firsts, (walk) => {
    walks.hasBought[visit] = walk.boughtMs < Infinity ? 1 : 0
    walks.length[visit] = walk.length
    const different = countCells(walk, counts, cells)
    for (let index = 0; index < different; index += 1) {
      const cell = cells[index] ?? 0
      walks.cells[size] = cell
      walks.counts[size] = counts[cell] ?? 0
      counts[cell] = 0
      size += 1
    }
    visit += 1
    walks.starts[visit] = size
  })
  return { ...walks, cells: walks.cells.slice(0, size), counts: walks.counts.slice(0, size) }
}

function bytesOf(walks: DayWalks): number {
  return Object.values(walks).reduce((sum, column) => sum + column.byteLength, 0)
}
