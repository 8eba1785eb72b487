/** Lists of people, or of visits, without repetitions: that of a key begins at its start and ends at the next. */
export type OwnerLists = { keys: Int32Array; starts: Int32Array; owners: Int32Array }

/** Remembers who was met, and forgets all of them at once. */
export class Marks {
  #round = new Int32Array(0)
  #current = 1

  /** Before owners with numbers below this are met, none of whom were met then. */
  makeRoom(owners: number): void {
    if (owners > this.#round.length) this.#round = new Int32Array(owners * 2)
    this.forget()
  }

  forget(): void {
    this.#current += 1
  }

  /** Whether it is the first time; an owner of -1 is none. */
  meet(owner: number): boolean {
    if (owner === -1 || this.#round[owner] === this.#current) return false
    this.#round[owner] = this.#current
    return true
  }
}

/** The lists of all keys that have a row; `order` has the rows of a key from its start to the next. */
export function listOwners(
  keys: Int32Array,
  { order, starts }: { order: Int32Array; starts: Int32Array },
  ownerOf: Int32Array,
  marks: Marks,
): OwnerLists {
  const bounds = new Int32Array(keys.length + 1)
  const owners = new Int32Array(order.length)
  let size = 0
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? 0
    const end = starts[key + 1] ?? 0
    marks.forget()
    for (let place = starts[key] ?? 0; place < end; place += 1) {
      const owner = ownerOf[order[place] ?? 0] ?? -1
      if (!marks.meet(owner)) continue
      owners[size] = owner
      size += 1
    }
    bounds[index + 1] = size
  }
  return { keys, starts: bounds, owners: owners.slice(0, size) }
}

/** Of one count after the other. */
const marks = new Marks()

/**
 * How many different owners each key has in all lists together. `current` says who an owner is by now; null where
 * everyone is who they were.
 */
export function countOwners(
  lists: readonly OwnerLists[],
  keys: number,
  owners: number,
  current: Int32Array | null,
): Int32Array {
  const counts = new Int32Array(keys)
  marks.makeRoom(owners)
  const { starts, listOf, indexOf } = entriesByKey(lists, keys)
  for (let key = 0; key < keys; key += 1) {
    const end = starts[key + 1] ?? 0
    marks.forget()
    let met = 0
    for (let entry = starts[key] ?? 0; entry < end; entry += 1) {
      const list = lists[listOf[entry] ?? 0]
      if (list !== undefined) met += meetAll(list, indexOf[entry] ?? 0, current)
    }
    counts[key] = met
  }
  return counts
}

function meetAll({ starts, owners }: OwnerLists, index: number, current: Int32Array | null): number {
  const end = starts[index + 1] ?? 0
  let met = 0
  for (let place = starts[index] ?? 0; place < end; place += 1) {
    const owner = owners[place] ?? -1
    if (marks.meet(current === null ? owner : (current[owner] ?? owner))) met += 1
  }
  return met
}

/** Which lists have something of a key, and where: those of a key begin at its start and end at the next. */
function entriesByKey(lists: readonly OwnerLists[], keys: number) {
  const starts = new Int32Array(keys + 1)
  for (const list of lists) for (const key of list.keys) starts[key + 1] = (starts[key + 1] ?? 0) + 1
  for (let key = 0; key < keys; key += 1) starts[key + 1] = (starts[key + 1] ?? 0) + (starts[key] ?? 0)
  const next = starts.slice()
  const listOf = new Int32Array(starts[keys] ?? 0)
  const indexOf = new Int32Array(listOf.length)
  for (const [number, list] of lists.entries()) {
    for (let index = 0; index < list.keys.length; index += 1) {
      const key = list.keys[index] ?? 0
      const entry = next[key] ?? 0
      listOf[entry] = number
      indexOf[entry] = index
      next[key] = entry + 1
    }
  }
  return { starts, listOf, indexOf }
}
