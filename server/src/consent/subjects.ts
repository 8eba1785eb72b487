import type { ConsentInForce } from '@assay/contract'
import type { Clock } from '../platform/clock.ts'
import { RecentMap } from '../platform/recent-map.ts'
import type { Control, Sql } from '../store/control.ts'
import { consentChannel, countSubjects, type StandingRow, selectStandings, selectSubjects } from './store.ts'
import { SubjectFilter } from './subject-filter.ts'

/** Status of a person: whether they were erased, and their latest record. */
export type ConsentStatus = {
  isSuppressed: boolean
  record: (ConsentInForce & { effectiveMs: number }) | null
}

/** What every node knows of people with a consent record or an erasure, without a query per event. */
export type Subjects = {
  /** Those of a workspace, synchronously when they are in memory, which they nearly always are. */
  of: (workspaceId: string) => WorkspaceSubjects | Promise<WorkspaceSubjects>
  /** Evicts what was read of these, here at once. The store notifies the other nodes. */
  changed: (workspaceId: string, originalIds: readonly string[]) => void
  /** Evicts a deleted workspace. */
  forget: (workspaceId: string) => void
}

export type WorkspaceSubjects = {
  /** No one has to be looked up here. */
  readonly isEmpty: boolean
  /** Null if nothing is known of a person, or not fetched yet. */
  statusOf: (originalId: string, nowMs: number) => ConsentStatus | null
  /** Fetches people who were requested and not cached; null when there were none. */
  fetchMissing: () => Promise<void> | null
}

/** Recently used entries, about 300 bytes each, in two generations. */
const standingsMax = 100_000
/** Filters of active workspaces; beyond this total the ones loaded longest ago are evicted. */
const filterBytesMax = 256 * 1024 * 1024
const workspacesMax = 10_000
const idsPerPage = 20_000

type CachedStatus = ConsentStatus & { untilMs: number }

export async function createSubjects(control: Control, now: Clock): Promise<Subjects> {
  const memory = new RecentMap<CachedStatus>(standingsMax)
  // bounded: by workspacesMax and filterBytesMax.
  const workspaces = new Map<string, SubjectsInMemory>()
  const changed: Subjects['changed'] = (workspaceId, originalIds) => {
    const known = workspaces.get(workspaceId)
    if (known !== undefined) for (const originalId of originalIds) known.mark(originalId)
  }
  const hear = (notice: string) => {
    const [workspaceId = '', ...originalIds] = notice.split(' ')
    changed(workspaceId, originalIds)
  }
  const missed = () => {
    workspaces.clear()
    memory.clear()
  }
  await control.listen(consentChannel, hear, missed)

  function load(workspaceId: string): Promise<WorkspaceSubjects> {
    const known = workspaces.get(workspaceId) ?? new SubjectsInMemory(control, workspaceId, memory, now)
    // The map keeps the order of loading, so the oldest are evicted first.
    workspaces.delete(workspaceId)
    workspaces.set(workspaceId, known)
    forgetOldest(workspaces)
    return known.load()
  }
  return {
    of(workspaceId) {
      const known = workspaces.get(workspaceId)
      return known?.isReady === true ? known : load(workspaceId)
    },
    changed,
    forget: (workspaceId) => void workspaces.delete(workspaceId),
  }
}

function forgetOldest(workspaces: Map<string, SubjectsInMemory>): void {
  let bytes = 0
  for (const known of workspaces.values()) bytes += known.bytes
  for (const [workspaceId, known] of workspaces) {
    if ((bytes <= filterBytesMax && workspaces.size <= workspacesMax) || workspaces.size === 1) return
    workspaces.delete(workspaceId)
    bytes -= known.bytes
  }
}

class SubjectsInMemory implements WorkspaceSubjects {
  readonly #sql: Sql
  readonly #workspaceId: string
  readonly #memory: RecentMap<CachedStatus>
  readonly #now: Clock
  #filter: SubjectFilter | null = null
  #loading: Promise<WorkspaceSubjects> | null = null
  // bounded: by the people of the batches that are being judged.
  readonly #asked = new Set<string>()
  // bounded: by the readings under way, and by the changes that come during one.
  /** People who changed while something was read: the result may be outdated for them. */
  readonly #readings = new Set<Set<string>>()

  constructor(sql: Sql, workspaceId: string, memory: RecentMap<CachedStatus>, now: Clock) {
    this.#sql = sql
    this.#workspaceId = workspaceId
    this.#memory = memory
    this.#now = now
  }

  get isReady(): boolean {
    return this.#filter !== null && !this.#filter.isFull
  }

  get isEmpty(): boolean {
    return this.#filter?.isEmpty === true
  }

  get bytes(): number {
    return this.#filter?.bytes ?? 0
  }

  load(): Promise<WorkspaceSubjects> {
    this.#loading ??= this.#read().finally(() => {
      this.#loading = null
    })
    return this.#loading
  }

  mark(originalId: string): void {
    this.#filter?.add(originalId)
    this.#memory.delete(originalId)
    for (const touched of this.#readings) touched.add(originalId)
  }

  statusOf(originalId: string, nowMs: number): ConsentStatus | null {
    if (this.#filter === null || !this.#filter.mayHave(originalId)) return null
    const kept = this.#memory.get(originalId)
    if (kept !== undefined && nowMs < kept.untilMs) return kept
    this.#asked.add(originalId)
    return null
  }

  fetchMissing(): Promise<void> | null {
    if (this.#asked.size === 0) return null
    const originalIds = [...this.#asked]
    this.#asked.clear()
    return this.#fetch(originalIds)
  }

  async #fetch(originalIds: readonly string[]): Promise<void> {
    const touched = new Set<string>()
    this.#readings.add(touched)
    try {
      const at = new Date(this.#now())
      const rows = await selectStandings(this.#sql, this.#workspaceId, originalIds, at)
      for (const row of rows)
        if (!touched.has(row.original_id)) this.#memory.set(row.original_id, keptOf(row, at))
    } finally {
      this.#readings.delete(touched)
    }
  }

  async #read(): Promise<WorkspaceSubjects> {
    const touched = new Set<string>()
    this.#readings.add(touched)
    try {
      const filter = new SubjectFilter(await countSubjects(this.#sql, this.#workspaceId))
      let after = ''
      for (;;) {
        const page = await selectSubjects(this.#sql, this.#workspaceId, after, idsPerPage)
        for (const originalId of page) filter.add(originalId)
        after = page.at(-1) ?? ''
        if (page.length < idsPerPage) break
      }
      for (const originalId of touched) filter.add(originalId)
      this.#filter = filter
      return this
    } finally {
      this.#readings.delete(touched)
    }
  }
}

function keptOf(row: StandingRow, at: Date): CachedStatus {
  const { id, stated, gpc, effective_at, expires_at } = row
  const isExpired = expires_at !== null && expires_at <= at
  const hasRecord = id !== null && stated !== null && effective_at !== null && !isExpired
  const record = hasRecord
    ? { recordId: id, stated, gpc: gpc === true, effectiveMs: effective_at.getTime() }
    : null
  const expiresMs = record !== null && expires_at !== null ? expires_at.getTime() : Number.POSITIVE_INFINITY
  const nextMs = row.next_at?.getTime() ?? Number.POSITIVE_INFINITY
  return { isSuppressed: row.is_suppressed, record, untilMs: Math.min(expiresMs, nextMs) }
}
