/** A number in [0, 1), from a generator that only its seed decides. */
export type Random = () => number

const twoTo32 = 4_294_967_296

/** Chris Doty-Humphrey's small fast counter (sfc32): 128 bits of state, a few nanoseconds a draw. */
export function seededRandom(seed: number): Random {
  let a = mix(seed, 1) | 0
  let b = mix(seed, 2) | 0
  let c = mix(seed, 3) | 0
  let counter = 1
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return (sum >>> 0) / twoTo32
  }
  // Fifteen rounds are what the generator's author prescribes before the state is well stirred.
  for (let round = 0; round < 15; round += 1) next()
  return next
}

/** A 32-bit hash of two integers (the finaliser of MurmurHash3): gives an index its own lasting traits. */
export function mix(value: number, salt: number): number {
  let hash = Math.imul(value ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Multiplying by an odd number permutes the 32-bit integers: distinct counters stay distinct. */
export function scramble(counter: number): number {
  return Math.imul(counter, 0x9e3779b1) >>> 0
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

export function logNormal(random: Random, median: number, sigma: number): number {
  return median * Math.exp(sigma * normal(random))
}

/** Above this mean the normal approximation is off by less than the noise it stands for. */
const poissonExactMax = 60

export function poisson(random: Random, mean: number): number {
  if (mean > poissonExactMax) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)))
  const floor = Math.exp(-mean)
  let count = 0
  for (let product = random(); product > floor; product *= random()) count += 1
  return count
}

/** How often a coin of chance `again` falls in a row, at most `most` times. */
export function repeats(random: Random, again: number, most: number): number {
  let count = 0
  while (count < most && random() < again) count += 1
  return count
}

/** Draws items in proportion to their weights; the weights need not sum to 1. */
export function weighted<Item>(items: readonly Item[], weightOf: (item: Item) => number) {
  const total = items.reduce((sum, item) => sum + weightOf(item), 0)
  const bounds: number[] = []
  let sum = 0
  for (const item of items) {
    sum += weightOf(item) / total
    bounds.push(sum)
  }
  const last = items.length - 1
  return (draw: number): Item => {
    let index = 0
    while (index < last && draw >= (bounds[index] ?? 1)) index += 1
    return at(items, index)
  }
}

/** An element that must be there: an index out of range is a mistake in the caller. */
export function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index]
  if (item === undefined) throw new RangeError(`no element ${index} in a list of ${items.length}`)
  return item
}

export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return at(items, Math.floor(random() * items.length))
}
