/**
 * A second, simple implementation of identity resolution, to compare the product with: everything is searched
 * in lists, and only the input is stored. Identifiers are named by their type's first letter and a number:
 * u1, e2, a3.
 */
type Said = { number: number; x: string; y: string; isOnPurpose: boolean; isInForce: boolean }
type Verdict = 'known' | 'joined' | 'shared_device' | 'conflict' | 'kept_apart'

const isUser = (id: string) => id.startsWith('u')
const isDevice = (id: string) => id.startsWith('a')
const strength = (id: string) => (isUser(id) ? 0 : isDevice(id) ? 2 : 1)
const isPair = (said: { x: string; y: string }, x: string, y: string) =>
  (said.x === x && said.y === y) || (said.x === y && said.y === x)

export class Model {
  /** When each was first seen; who is not here was never heard of. */
  readonly firstSeen = new Map<string, number>()
  said: Said[] = []
  apart: { x: string; y: string; number: number }[] = []
  #numbers = 0

  see(id: string, time: number): void {
    if (!this.firstSeen.has(id)) this.firstSeen.set(id, time)
  }

  /** Every group of identifiers that is one person. */
  groups(said: readonly Said[] = this.said.filter((one) => one.isInForce)): string[][] {
    let groups = [...this.firstSeen.keys()].map((id) => [id])
    const join = (x: string, y: string) => {
      const [left, right] = [groups.find((g) => g.includes(x)), groups.find((g) => g.includes(y))]
      if (left === undefined || right === undefined || left === right) return
      groups = [...groups.filter((g) => g !== left && g !== right), [...left, ...right]]
    }
    const isKnown = (id: string) => groups.some((g) => g.includes(id) && g.some((each) => !isDevice(each)))
    for (const one of said) if (one.isOnPurpose) join(one.x, one.y)
    for (const one of said) if (!isDevice(one.x) && !isDevice(one.y)) join(one.x, one.y)
    const loose = [...this.firstSeen.keys()].filter((id) => !isKnown(id))
    for (const one of said) if (loose.includes(one.x) && loose.includes(one.y)) join(one.x, one.y)
    const decided = groups
    for (const devices of decided.filter((g) => g.every((id) => loose.includes(id)))) {
      const claims = said
        .filter((one) => !one.isOnPurpose && devices.includes(one.x) !== devices.includes(one.y))
        .map((one) => (devices.includes(one.x) ? one.y : one.x))
      const best = Math.min(...claims.map(strength))
      const claimants = claims.filter((id) => strength(id) === best)
      const owners = new Set(claimants.map((id) => decided.find((g) => g.includes(id))))
      const [device] = devices
      const [claimant] = claimants
      if (owners.size === 1 && device !== undefined && claimant !== undefined) join(device, claimant)
    }
    return groups
  }

  groupOf(id: string, said?: readonly Said[]): string[] {
    return (said === undefined ? this.groups() : this.groups(said)).find((g) => g.includes(id)) ?? [id]
  }

  /** Whom the last merge on purpose let survive; else the one that was seen first; of several the strongest. */
  nameOf(
    group: readonly string[],
    breakTie: (left: string, right: string) => number,
    said: readonly Said[] = this.said.filter((one) => one.isInForce),
  ): string {
    const last = said.findLast((one) => one.isOnPurpose && group.includes(one.x) && group.includes(one.y))
    if (last !== undefined) {
      const before = said.filter((one) => one.number < last.number)
      const name = this.nameOf(this.groupOf(last.x, before), breakTie, before)
      return group.includes(name) ? name : last.x
    }
    const sorted = group.toSorted(
      (left, right) =>
        (this.firstSeen.get(left) ?? 0) - (this.firstSeen.get(right) ?? 0) ||
        strength(left) - strength(right) ||
        breakTie(left, right),
    )
    return sorted[0] ?? ''
  }

  #stated(): Said[] {
    return this.said.filter((one) => one.isInForce && !one.isOnPurpose)
  }

  #areOne(x: string, y: string, said?: readonly Said[]): boolean {
    return this.groupOf(x, said).includes(y)
  }

  /** A claim, without an explicit merge, that two are one. */
  say(x: string, y: string): { verdict: Verdict; number: number | null } {
    const stated = this.#stated()
    const isOne = this.#areOne(x, y)
    if (stated.some((one) => isPair(one, x, y))) return answer(isOne ? 'known' : 'shared_device')
    const isClaim = isDevice(x) !== isDevice(y)
    if (!isOne && this.#keptApart(x, y)) return answer('kept_apart')
    if (!isClaim) {
      const judged = this.#mayJoin(
        x,
        y,
        this.said.filter((one) => one.isInForce),
      )
      if (!isOne && !judged) return answer('conflict')
      if (isOne && !this.#mayJoin(x, y, stated)) return answer('known')
    }
    const number = this.#write(x, y, false)
    return { verdict: this.#areOne(x, y) ? 'joined' : 'shared_device', number }

    function answer(verdict: Verdict) {
      return { verdict, number: null }
    }
  }

  #keptApart(x: string, y: string): boolean {
    return this.apart.some(
      (pair) =>
        (this.#areOne(pair.x, x) && this.#areOne(pair.y, y)) ||
        (this.#areOne(pair.x, y) && this.#areOne(pair.y, x)),
    )
  }

  /** Two groups may join when not both hold a user, and neither device loses the person it belongs to. */
  #mayJoin(x: string, y: string, said: readonly Said[]): boolean {
    const [left, right] = [this.groupOf(x, said), this.groupOf(y, said)]
    if (left.includes(y)) return true
    if (left.some(isUser) && right.some(isUser)) return false
    const also: Said = { number: 0, x, y, isOnPurpose: false, isInForce: true }
    const isSomebody = (group: readonly string[]) => group.some((id) => !isDevice(id))
    const after = this.groupOf(x, [...said, also])
    if (!after.includes(y)) return false
    return isSomebody(after) || (!isSomebody(left) && !isSomebody(right))
  }

  merge(x: string, y: string): { verdict: 'known' | 'joined'; number: number | null } {
    if (this.#areOne(x, y)) return { verdict: 'known', number: null }
    return { verdict: 'joined', number: this.#write(x, y, true) }
  }

  #write(x: string, y: string, isOnPurpose: boolean): number {
    this.#numbers += 1
    this.said.push({ number: this.#numbers, x, y, isOnPurpose, isInForce: true })
    return this.#numbers
  }

  /** Later merges on purpose whose people were other people without this. */
  builtOn(number: number): number[] {
    const gone = [number]
    const inForce = this.said.filter((one) => one.isInForce)
    for (const later of inForce.filter((one) => one.isOnPurpose && one.number > number)) {
      const then = inForce.filter((one) => one.number < later.number)
      const without = then.filter((one) => !gone.includes(one.number))
      const differs = [later.x, later.y].some((id) => {
        const [left, right] = [this.groupOf(id, then), this.groupOf(id, without)]
        return left.length !== right.length || left.some((each) => !right.includes(each))
      })
      if (differs) gone.push(later.number)
    }
    return gone.slice(1)
  }

  reverse(number: number, isKeptApart: boolean): void {
    const gone = [number, ...this.builtOn(number)]
    for (const one of this.said) if (gone.includes(one.number)) one.isInForce = false
    if (!isKeptApart) return
    for (const one of this.said.filter((each) => gone.includes(each.number))) {
      if (!this.#areOne(one.x, one.y)) this.apart.push({ x: one.x, y: one.y, number: one.number })
    }
  }
}
