import type { ConsentInForce } from '@assay/contract'
import type { Clock } from '../platform/clock.ts'
import { RecentMap } from '../platform/recent-map.ts'
import type { Control, Sql } from '../store/control.ts'
import { consentChannel, countSubjects, type StandingRow, selectStandings, selectSubjects } from './store.ts'
import { SubjectFilter } from './subject-filter.ts'

/** How somebody stands: whether they asked to be forgotten, and which record of theirs is in force. */
export type Standing = {
  isSuppressed: boolean
  record: (ConsentInForce & { effectiveMs: number }) | null
}

/** What every node knows of people whose consent or absence matters, without asking for each event. */
export type Subjects = {
  /** Those of a workspace, at once when they are in memory, which they nearly always are. */
  of: (workspaceId: string) => WorkspaceSubjects | Promise<WorkspaceSubjects>
  /** Forgets what was read of these, here at once. The store tells the other nodes. */
  changed: (workspaceId: string, bornIds: readonly string[]) => void
  /** Lets go of a workspace that is no more. */
  forget: (workspaceId: string) => void
}

export type WorkspaceSubjects = {
  /** Nobody is asked about here. */
  readonly isEmpty: boolean
  /** Null for somebody of whom there is nothing to know, or, until it was fetched, nothing known. */
  standingOf: (bornId: string, nowMs: number) => Standing | null
  /** Fetches those that were asked for and not at hand, to ask again; null when there were none. */
  fetchAsked: () => Promise<void> | null
}

/** Standings lately used, some 300 bytes each, in two generations. */
const standingsMax = 100_000
/** Filters of workspaces in use; those loaded longest ago go when they pass this together. */
const filterBytesMax = 256 * 1024 * 1024
const workspacesMax = 10_000
const idsPerPage = 20_000

type Kept = Standing & { untilMs: number }

export async function createSubjects(control: Control, now: Clock): Promise<Subjects> {
  const memory = new RecentMap<Kept>(standingsMax)
  // bounded: by workspacesMax and filterBytesMax.
  const workspaces = new Map<string, SubjectsInMemory>()
  const changed: Subjects['changed'] = (workspaceId, bornIds) => {
    const known = workspaces.get(workspaceId)
    if (known !== undefined) for (const bornId of bornIds) known.mark(bornId)
  }
  const hear = (notice: string) => {
    const [workspaceId = '', ...bornIds] = notice.split(' ')
    changed(workspaceId, bornIds)
  }
  const missed = () => {
    workspaces.clear()
    memory.clear()
  }
  await control.listen(consentChannel, hear, missed)

  function load(workspaceId: string): Promise<WorkspaceSubjects> {
    const known = workspaces.get(workspaceId) ?? new SubjectsInMemory(control, workspaceId, memory, now)
    // The map keeps the order of loading, and those that were loaded longest ago go first.
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
  readonly #memory: RecentMap<Kept>
  readonly #now: Clock
  #filter: SubjectFilter | null = null
  #loading: Promise<WorkspaceSubjects> | null = null
  // bounded: by the people of the batches that are being judged.
  readonly #asked = new Set<string>()
  // bounded: by the readings under way, and by the changes that come during one.
  /** Those who changed while something was read: what was read of them may be of before. */
  readonly #readings = new Set<Set<string>>()

  constructor(sql: Sql, workspaceId: string, memory: RecentMap<Kept>, now: Clock) {
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

  mark(bornId: string): void {
    this.#filter?.add(bornId)
    this.#memory.delete(bornId)
    for (const touched of this.#readings) touched.add(bornId)
  }

  standingOf(bornId: string, nowMs: number): Standing | null {
    if (this.#filter === null || !this.#filter.mayHave(bornId)) return null
    const kept = this.#memory.get(bornId)
    if (kept !== undefined && nowMs < kept.untilMs) return kept
    this.#asked.add(bornId)
    return null
  }

  fetchAsked(): Promise<void> | null {
    if (this.#asked.size === 0) return null
    const bornIds = [...this.#asked]
    this.#asked.clear()
    return this.#fetch(bornIds)
  }

  async #fetch(bornIds: readonly string[]): Promise<void> {
    const touched = new Set<string>()
    this.#readings.add(touched)
    try {
      const at = new Date(this.#now())
      const rows = await selectStandings(this.#sql, this.#workspaceId, bornIds, at)
      for (const row of rows) if (!touched.has(row.born_id)) this.#memory.set(row.born_id, keptOf(row, at))
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
        for (const bornId of page) filter.add(bornId)
        after = page.at(-1) ?? ''
        if (page.length < idsPerPage) break
      }
      for (const bornId of touched) filter.add(bornId)
      this.#filter = filter
      return this
    } finally {
      this.#readings.delete(touched)
    }
  }
}

function keptOf(row: StandingRow, at: Date): Kept {
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
