import type { Moments } from '../baseline.ts'
import { cellsMax } from '../landmark.ts'

const sums = 7

/** Sums over sessions by the cells that they were in: seven numbers a cell. */
export class CellSums {
  readonly #sums = new Float64Array(cellsMax * sums)

  /** A session with so many steps in the cell and in all, which was in so many different cells. */
  add(cell: number, steps: number, length: number, different: number, hasBought: boolean): void {
    const [at, share, all] = [cell * sums, steps / length, this.#sums]
    all[at] = (all[at] ?? 0) + 1
    all[at + 1] = (all[at + 1] ?? 0) + steps
    all[at + 3] = (all[at + 3] ?? 0) + different * steps * steps
    all[at + 4] = (all[at + 4] ?? 0) + share
    all[at + 6] = (all[at + 6] ?? 0) + different * share * share
    if (!hasBought) return
    all[at + 2] = (all[at + 2] ?? 0) + steps
    all[at + 5] = (all[at + 5] ?? 0) + share
  }

  /** The cells that any session was in. */
  taken(): { cell: number; moments: Moments }[] {
    return Array.from({ length: cellsMax }, (_, cell) => ({ cell, moments: this.#momentsOf(cell) })).filter(
      ({ moments }) => moments.sessions > 0,
    )
  }

  #momentsOf(cell: number): Moments {
    const at = (place: number) => this.#sums[cell * sums + place] ?? 0
    return {
      sessions: at(0),
      steps: at(1),
      stepsBought: at(2),
      stepsSquared: at(3),
      shares: at(4),
      sharesBought: at(5),
      sharesSquared: at(6),
    }
  }
}
