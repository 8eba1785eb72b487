import type { Sql } from '../../store/control.ts'
import {
  type IdentifierRow,
  type LinkRow,
  selectApart,
  selectChosen,
  selectIdentifiers,
  selectLinks,
  selectMembers,
} from '../store.ts'
import type { Identifier } from './identifier.ts'
import { isDevice } from './identifier.ts'
import type { Neighbourhood } from './link-rules.ts'
import type { ChosenId, Link, Node } from './partition.ts'

/** An identifier in a call, with what was known of it before. */
export type Named = Identifier & {
  originalId: string
  /** Without a row: when an event first had it, or now. */
  firstSeenMs: number
  /** Whether anything had come under it before. */
  isSeen: boolean
}

export type Loaded = Neighbourhood & {
  /** The stored person of each identifier. */
  stored: Map<string, string>
  /** Identifiers that have a row, and those of them whose whole person is part of the graph. */
  rows: ReadonlyMap<string, IdentifierRow>
  whole: ReadonlySet<string>
  /** The position in the ledger since which each pair is kept apart. */
  apartSince: readonly { pair: readonly [string, string]; seq: number }[]
}

/**
 * Everything that a link between these can change. The named people are loaded completely, and so are devices
 * that any of them claims; of other people who claim such a device only their ids are needed, unless such a device
 * gives them their id.
 */
export async function loadNeighbourhood(
  sql: Sql,
  workspaceId: string,
  named: readonly Named[],
): Promise<Loaded> {
  const loader = new Loader(sql, workspaceId)
  await loader.addPeople(named)
  await loader.addNeighbours()
  return loader.finish()
}

/**
 * Everyone connected to these by any links. A reversal asks who a person was when a later merge named them,
 * and that depends on the links of people who are separate by now.
 */
export async function loadEverybodyTied(
  sql: Sql,
  workspaceId: string,
  named: readonly Named[],
): Promise<Loaded> {
  const loader = new Loader(sql, workspaceId)
  await loader.addPeople(named)
  await loader.addEverybodyTied()
  return loader.finish()
}

class Loader {
  readonly #sql: Sql
  readonly #workspaceId: string
  readonly #nodes = new Map<string, Node>()
  readonly #rows = new Map<string, IdentifierRow>()
  readonly #links = new Map<string, Link>()
  readonly #stored = new Map<string, string>()
  readonly #whole = new Set<string>()
  readonly #unseen = new Set<string>()
  readonly #ties: [string, string][] = []
  #chosen: ChosenId[] = []

  constructor(sql: Sql, workspaceId: string) {
    this.#sql = sql
    this.#workspaceId = workspaceId
  }

  async addPeople(named: readonly Named[]): Promise<void> {
    const known = await selectIdentifiers(
      this.#sql,
      this.#workspaceId,
      named.map(({ originalId }) => originalId),
    )
    const personIds = [...new Set(known.map((row) => row.person_id))]
    const members = personIds.length === 0 ? [] : await selectMembers(this.#sql, this.#workspaceId, personIds)
    for (const row of members) this.#addRow(row)
    for (const personId of personIds) this.#whole.add(personId)
    for (const one of named) if (!this.#nodes.has(one.originalId)) this.#addNew(one)
  }

  #addRow(row: IdentifierRow): void {
    this.#rows.set(row.original_id, row)
    this.#nodes.set(row.original_id, {
      originalId: row.original_id,
      type: row.type,
      firstSeenMs: row.first_seen_at.getTime(),
    })
    this.#stored.set(row.original_id, row.person_id)
  }

  #addNew({ originalId, type, firstSeenMs, isSeen }: Named): void {
    this.#nodes.set(originalId, { originalId, type, firstSeenMs })
    this.#stored.set(originalId, originalId)
    this.#whole.add(originalId)
    if (!isSeen && isDevice(type)) this.#unseen.add(originalId)
  }

  async addNeighbours(): Promise<void> {
    const outsiders = new Set<string>()
    let frontier = [...this.#rows.keys()]
    while (frontier.length > 0) {
      const rows = await this.#addLinked(frontier)
      for (const row of rows) if (!isDevice(row.type)) outsiders.add(row.original_id)
      frontier = rows.filter(({ type }) => isDevice(type)).map((row) => row.original_id)
      if (frontier.length === 0) frontier = await this.#addNamedByDevice(outsiders)
    }
    await this.#tieOutsiders([...outsiders])
  }

  /** Adds the links of these, and answers the identifiers that were reached for the first time. */
  async #addLinked(frontier: readonly string[]): Promise<IdentifierRow[]> {
    const links = await selectLinks(this.#sql, this.#workspaceId, frontier)
    for (const link of links) this.#links.set(link.entry_id, toLink(link))
    const ends = new Set(links.flatMap(({ a, b }) => [a, b]))
    const beyond = [...ends].filter((end) => !this.#nodes.has(end))
    const rows = beyond.length === 0 ? [] : await selectIdentifiers(this.#sql, this.#workspaceId, beyond)
    for (const row of rows) this.#addRow(row)
    return rows
  }

  /**
   * A device of the graph may leave a person whose id it gives. Their next id depends on all their identifiers, so
   * these are added, and returned to be followed.
   */
  async #addNamedByDevice(outsiders: Set<string>): Promise<string[]> {
    const personOf = (originalId: string) => this.#stored.get(originalId) ?? originalId
    const isOfDevice = (personId: string) => isDevice(this.#nodes.get(personId)?.type ?? 'user_id')
    const personIds = new Set([...outsiders].map(personOf).filter(isOfDevice))
    if (personIds.size === 0) return []
    for (const one of outsiders) if (personIds.has(personOf(one))) outsiders.delete(one)
    for (const personId of personIds) this.#whole.add(personId)
    const members = await selectMembers(this.#sql, this.#workspaceId, [...personIds])
    for (const row of members) this.#addRow(row)
    return members.map((row) => row.original_id)
  }

  async addEverybodyTied(): Promise<void> {
    let frontier = [...this.#rows.keys()]
    while (frontier.length > 0) {
      frontier = (await this.#addLinked(frontier)).map((row) => row.original_id)
    }
    for (const personId of this.#stored.values()) this.#whole.add(personId)
  }

  /** Of these people only the claiming identifier and the one that gives the id are loaded. */
  async #tieOutsiders(originalIds: readonly string[]): Promise<void> {
    const personIds = new Set(originalIds.map((originalId) => this.#stored.get(originalId) ?? originalId))
    const missing = [...personIds].filter((personId) => !this.#nodes.has(personId))
    const rows = missing.length === 0 ? [] : await selectIdentifiers(this.#sql, this.#workspaceId, missing)
    for (const row of rows) this.#addRow(row)
    for (const originalId of originalIds)
      this.#ties.push([originalId, this.#stored.get(originalId) ?? originalId])
    if (personIds.size > 0) this.#chosen = await selectChosen(this.#sql, this.#workspaceId, [...personIds])
  }

  async finish(): Promise<Loaded> {
    const apart = await selectApart(this.#sql, this.#workspaceId, [...this.#rows.keys()])
    return {
      graph: { nodes: this.#nodes, links: [...this.#links.values()], ties: this.#ties, chosen: this.#chosen },
      apart: apart.map(({ a, b }) => [a, b] as const),
      apartSince: apart.map(({ a, b, seq }) => ({ pair: [a, b] as const, seq })),
      unseen: this.#unseen,
      stored: this.#stored,
      rows: this.#rows,
      whole: this.#whole,
    }
  }
}

export function toLink(row: LinkRow): Link {
  return {
    entryId: row.entry_id,
    seq: row.seq,
    a: row.a,
    b: row.b,
    entryType: row.entry_type,
    isExplicit: row.is_explicit,
    confidence: row.confidence,
    survivor: row.survivor,
  }
}
