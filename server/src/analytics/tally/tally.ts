/** Up to so many keys a bit for each key and owner is cheaper than an order. */
const keysMarked = 128

/** How many owners each key has; an owner of -1 is none. */
export function distinct(keyOf: Int32Array, keys: number, ownerOf: Int32Array, owners: number): Int32Array {
  return (keys <= keysMarked ? distinctByMarks : distinctByOrder)(keyOf, keys, ownerOf, owners)
}

/** A bit says that the key has met the owner. */
function distinctByMarks(keyOf: Int32Array, keys: number, ownerOf: Int32Array, owners: number): Int32Array {
  const counts = new Int32Array(keys)
  const width = (keys + 31) >>> 5
  const marks = new Int32Array(owners * width)
  for (let row = 0; row < keyOf.length; row += 1) {
    const key = keyOf[row] ?? -1
    const owner = ownerOf[row] ?? -1
    if (key === -1 || owner === -1) continue
    const place = owner * width + (key >>> 5)
    const mark = marks[place] ?? 0
    const bit = 1 << (key & 31)
    if ((mark & bit) !== 0) continue
    marks[place] = mark | bit
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

/** The same by the order of keys: an owner is new to a key where the last key that they were seen with is another. */
function distinctByOrder(keyOf: Int32Array, keys: number, ownerOf: Int32Array, owners: number): Int32Array {
  const { order, starts } = orderedBy(keyOf, keys)
  const counts = new Int32Array(keys)
  const lastKey = new Int32Array(owners).fill(-1)
  for (let key = 0; key < keys; key += 1) {
    const end = starts[key + 1] ?? 0
    let met = 0
    for (let place = starts[key] ?? 0; place < end; place += 1) {
      const owner = ownerOf[order[place] ?? 0] ?? -1
      if (owner === -1 || lastKey[owner] === key) continue
      lastKey[owner] = key
      met += 1
    }
    counts[key] = met
  }
  return counts
}

/** The rows that have a key, by key; the rows of a key begin at its start and end at the next. */
export function orderedBy(keyOf: Int32Array, keys: number): { order: Int32Array; starts: Int32Array } {
  const starts = new Int32Array(keys + 1)
  for (let row = 0; row < keyOf.length; row += 1) {
    const key = keyOf[row] ?? -1
    if (key !== -1) starts[key + 1] = (starts[key + 1] ?? 0) + 1
  }
  for (let key = 0; key < keys; key += 1) starts[key + 1] = (starts[key + 1] ?? 0) + (starts[key] ?? 0)
  const next = starts.slice()
  const order = new Int32Array(starts[keys] ?? 0)
  for (let row = 0; row < keyOf.length; row += 1) {
    const key = keyOf[row] ?? -1
    if (key === -1) continue
    const place = next[key] ?? 0
    order[place] = row
    next[key] = place + 1
  }
  return { order, starts }
}
