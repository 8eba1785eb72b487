import type { EventRows } from './event-rows.ts'
import { rowFlags } from './row-store.ts'

/**
 * What each visit did in each of two periods: the visit with number v is at v * 2 in the earlier one, and at v * 2 + 1
 * in the later.
 */
export type Visits = {
  places: number
  /** 0 where the visit has no event in the period. */
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
  /** Rows without a visit. */
  loose: Int32Array
}

/** One reading of the rows; whatever depends on visits alone is counted from a fifth as many. */
export function visitsIn(rows: EventRows, period: Uint8Array): Visits {
  const places = rows.sessions * 2
  const counted = () => new Int32Array(places)
  const [sizes, events, views, conversions, active] = [counted(), counted(), counted(), counted(), counted()]
  const firstMs = new Float64Array(places).fill(Infinity)
  const lastMs = new Float64Array(places).fill(-Infinity)
  const lastOwner = new Int32Array(places).fill(unowned)
  const owners = new GrowingPairs()
  const loose: number[] = []
  const { session, person, ms, flags } = rows
  const names = rows.name.numbers
  const viewName = rows.name.texts.indexOf('$pageview')
  for (let row = 0; row < rows.count; row += 1) {
    const visit = session[row] ?? -1
    if (visit === -1) {
      loose.push(row)
      continue
    }
    const place = visit * 2 + (period[row] ?? 0)
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
  return {
    places,
    rows: sizes,
    events,
    views,
    conversions,
    active,
    firstMs,
    lastMs,
    owners: owners.taken(),
    loose: Int32Array.from(loose),
  }
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
