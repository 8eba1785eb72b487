import type { Session } from './session.ts'
import type { Visitor } from './visitor.ts'

/** At most so many, with so many characters of keys and ids; the most idle ones are evicted. */
type Bounds = { visitorsMax: number; charactersMax: number }

/** The visitors whose session may continue, and where each person was known last. */
export class Visitors {
  readonly #bounds: Bounds
  // bounded: by visitorsMax and charactersMax.
  /** By site and visitor: joining both to one key would cost more than the second map. */
  readonly #sites = new Map<string, Map<string, Visitor>>()
  // bounded: one for each visitor at most.
  /** By site and person: where they were known last. An entry is removed with its visitor. */
  readonly #people = new Map<string, Map<string, Visitor>>()
  #size = 0
  #characters = 0
  #oldest: Visitor | undefined
  #newest: Visitor | undefined

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  get size(): number {
    return this.#size
  }

  find(siteId: string, key: string): Visitor | undefined {
    return this.#sites.get(siteId)?.get(key)
  }

  /** The visitor as which a person was known last. */
  findPerson(siteId: string, personId: string): Visitor | undefined {
    return this.#people.get(siteId)?.get(personId)
  }

  add(siteId: string, key: string, current: Session): void {
    if (this.#size >= this.#bounds.visitorsMax && this.#oldest !== undefined) this.#evict(this.#oldest)
    let visitors = this.#sites.get(siteId)
    if (visitors === undefined) {
      visitors = new Map()
      this.#sites.set(siteId, visitors)
    }
    const links = { older: undefined, newer: undefined }
    const visitor: Visitor = {
      siteId,
      key,
      current,
      others: undefined,
      personId: undefined,
      characters: 0,
      ...links,
    }
    visitors.set(key, visitor)
    this.#size += 1
    this.#append(visitor)
    this.weigh(visitor)
  }

  /** From now on the person is known here, and not where they were before. */
  linkPerson(visitor: Visitor, personId: string): void {
    const { siteId } = visitor
    if (visitor.personId !== personId) {
      this.#unlinkPerson(visitor)
      visitor.personId = personId
      this.weigh(visitor)
    }
    const people = this.#people.get(siteId)
    if (people === undefined) this.#people.set(siteId, new Map([[personId, visitor]]))
    else people.set(personId, visitor)
  }

  #unlinkPerson(visitor: Visitor): void {
    const { siteId, personId } = visitor
    const people = this.#people.get(siteId)
    // They may have been known on another device since.
    if (personId === undefined || people?.get(personId) !== visitor) return
    people.delete(personId)
    if (people.size === 0) this.#people.delete(siteId)
  }

  /** Counts a visitor's size again, and evicts the most idle ones while the total exceeds the limit. */
  weigh(visitor: Visitor): void {
    let characters = visitor.key.length + visitor.current.id.length + (visitor.personId?.length ?? 0)
    for (const { id } of visitor.others ?? []) characters += id.length
    this.#characters += characters - visitor.characters
    visitor.characters = characters
    while (this.#characters > this.#bounds.charactersMax && this.#oldest !== visitor) {
      if (this.#oldest === undefined) return
      this.#evict(this.#oldest)
    }
  }

  forgetSite(siteId: string): void {
    for (const visitor of [...(this.#sites.get(siteId)?.values() ?? [])]) this.#evict(visitor)
  }

  #evict(visitor: Visitor): void {
    this.#unlink(visitor)
    this.#unlinkPerson(visitor)
    const visitors = this.#sites.get(visitor.siteId)
    visitors?.delete(visitor.key)
    if (visitors?.size === 0) this.#sites.delete(visitor.siteId)
    this.#size -= 1
    this.#characters -= visitor.characters
  }

  touch(visitor: Visitor): void {
    if (visitor === this.#newest) return
    this.#unlink(visitor)
    this.#append(visitor)
  }

  #append(visitor: Visitor): void {
    visitor.older = this.#newest
    visitor.newer = undefined
    if (this.#newest === undefined) this.#oldest = visitor
    else this.#newest.newer = visitor
    this.#newest = visitor
  }

  #unlink(visitor: Visitor): void {
    const { older, newer } = visitor
    if (older === undefined) this.#oldest = newer
    else older.newer = newer
    if (newer === undefined) this.#newest = older
    else newer.older = older
  }
}
