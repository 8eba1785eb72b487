import type { Chunk } from './chunk.ts'
import { rowFlags } from './row-store.ts'

/** What each visit did, by its place. */
export type Visits = {
  /** 0 where the visit has no event. */
  rows: Int32Array
  /** Events that match. */
  events: Int32Array
  views: Int32Array
  conversions: Int32Array
  active: Int32Array
  firstMs: Float64Array
  lastMs: Float64Array
  /** Whose visits they are: mostly one person each, at most as often as the visit changes hands. */
  owners: { place: Int32Array; person: Int32Array }
}

/** Of each event, and the name of page views. */
type VisitColumns = Pick<Chunk, 'count' | 'person' | 'ms' | 'flags'> & {
  names: Int32Array
  viewName: number
}

/** One reading of the rows; `placeOf` says which visit each is of, -1 for none. */
export function visitsIn(
  { count, person, ms, flags, names, viewName }: VisitColumns,
  placeOf: Int32Array,
  places: number,
): Visits {
  const counted = () => new Int32Array(places)
  const [sizes, events, views, conversions, active] = [counted(), counted(), counted(), counted(), counted()]
  const firstMs = new Float64Array(places).fill(Infinity)
  const lastMs = new Float64Array(places).fill(-Infinity)
  const lastOwner = new Int32Array(places).fill(unowned)
  const owners = new GrowingPairs()
  for (let row = 0; row < count; row += 1) {
    const place = placeOf[row] ?? -1
    if (place === -1) continue
    const [at, bits, owner] = [ms[row] ?? 0, flags[row] ?? 0, person[row] ?? -1]
    sizes[place] = (sizes[place] ?? 0) + 1
    if (at < (firstMs[place] ?? 0)) firstMs[place] = at
    if (at > (lastMs[place] ?? 0)) lastMs[place] = at
    if ((bits & rowFlags.active) !== 0) active[place] = (active[place] ?? 0) + 1
    if ((bits & rowFlags.conversion) !== 0) conversions[place] = (conversions[place] ?? 0) + 1
    if ((bits & rowFlags.match) !== 0) {
      events[place] = (events[place] ?? 0) + 1
      if (names[row] === viewName) views[place] = (views[place] ?? 0) + 1
    }
    if (lastOwner[place] === owner) continue
    lastOwner[place] = owner
    if (owner !== -1) owners.add(place, owner)
  }
  return { rows: sizes, events, views, conversions, active, firstMs, lastMs, owners: owners.taken() }
}

/** No number of a person, and not that of none. */
const unowned = -2
const pairsFirst = 1_024

class GrowingPairs {
  #place = new Int32Array(pairsFirst)
  #person = new Int32Array(pairsFirst)
  #size = 0

  add(place: number, person: number): void {
    if (this.#size === this.#place.length) {
      this.#place = grown(this.#place)
      this.#person = grown(this.#person)
    }
    this.#place[this.#size] = place
    this.#person[this.#size] = person
    this.#size += 1
  }

  taken(): Visits['owners'] {
    return { place: this.#place.subarray(0, this.#size), person: this.#person.subarray(0, this.#size) }
  }
}

function grown(from: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(from.length * 2)
  larger.set(from)
  return larger
}
