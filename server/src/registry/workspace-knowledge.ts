import {
  type CompiledContract,
  type CompiledMapping,
  compileContract,
  defaultPreset,
  type GatePolicy,
} from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { toEventContract, versionOf } from './contracts/contracts.ts'
import {
  type ContractRow,
  selectCurrent,
  selectCurrentPage,
  selectGatePolicy,
  selectGivenVersions,
  selectVersionsInForce,
} from './contracts/store.ts'
import { readVersion } from './contracts/versions.ts'
import { compiledRules, mappingRules } from './mappings/rules.ts'

/** What the gate knows of a site's contracts and rules. */
export type GateKnowledge = {
  contracts: ReadonlyMap<string, CompiledContract>
  findVersion: (name: string, version: string) => CompiledContract | undefined
  mapping: CompiledMapping
} & Required<GatePolicy>

/** What changed: contracts, by key; or anything else that the gate goes by, which is read again whole. */
export type RegistryChange = { contracts: readonly string[] } | 'rules'

/** Rows read and compiled at a time: some milliseconds, so that other requests get their turn in between. */
const pageRows = 500
/** Older versions that events named recently. More than one batch can name. */
const olderMax = 2_000

/**
 * The registry of one workspace in memory. A change marks what it affects; the next reader waits until that,
 * and only that, was read again. Marks are cleared before reading, so that a change during the read marks it
 * again.
 */
export class WorkspaceKnowledge {
  readonly #sql: Sql
  readonly #workspaceId: string
  // bounded: by keysMax of a workspace.
  /** By name, at the current version. */
  readonly #contracts = new Map<string, CompiledContract>()
  // bounded: by keysMax.
  /** Live versions besides the current one, by name. */
  readonly #versionsInForce = new Map<string, ReadonlySet<string>>()
  // bounded: by olderMax.
  /** The compiled ones among them, oldest use first. */
  readonly #older = new Map<string, CompiledContract>()
  // bounded: by the live versions that one batch names.
  /** Older versions that judging asked for and that are not compiled. */
  readonly #asked = new Map<string, { key: string; version: string }>()
  // bounded: by sitesMax of a workspace.
  readonly #sites = new Map<string, GateKnowledge>()
  #policy: Required<GatePolicy> = { preset: defaultPreset, severities: {} }
  #isComplete = false
  #areRulesStale = true
  // bounded: by keysMax.
  #staleKeys = new Set<string>()
  /** Counts changes, so that what was read before one is not kept after it. */
  #changes = 0
  #reading: Promise<void> | null = null
  lastUse = 0

  constructor(sql: Sql, workspaceId: string) {
    this.#sql = sql
    this.#workspaceId = workspaceId
  }

  /** Number of compiled contracts. */
  get size(): number {
    return this.#contracts.size + this.#older.size
  }

  get #isStale(): boolean {
    return !this.#isComplete || this.#areRulesStale || this.#staleKeys.size > 0
  }

  /** What is known of a site, when it is all at hand. */
  ready(siteId: string): GateKnowledge | undefined {
    return this.#reading !== null || this.#isStale ? undefined : this.#sites.get(siteId)
  }

  async load(siteId: string): Promise<GateKnowledge> {
    for (;;) {
      while (this.#isStale || this.#reading !== null) {
        this.#reading ??= this.#read().finally(() => {
          this.#reading = null
        })
        await this.#reading
      }
      const known = this.#sites.get(siteId) ?? (await this.#readSite(siteId))
      if (known !== undefined) return known
    }
  }

  mark(change: RegistryChange): void {
    this.#changes += 1
    if (change === 'rules') {
      this.#areRulesStale = true
      this.#sites.clear()
      return
    }
    for (const key of change.contracts) this.#staleKeys.add(key)
  }

  /** Fetches the older versions that were asked for; null when there are none. */
  fetchAsked(): Promise<void> | null {
    return this.#asked.size === 0 ? null : this.#readOlder()
  }

  async #read(): Promise<void> {
    const keys = this.#isComplete ? [...this.#staleKeys] : null
    const areRulesStale = this.#areRulesStale
    this.#staleKeys = new Set()
    this.#areRulesStale = false
    try {
      if (areRulesStale) this.#policy = await selectGatePolicy(this.#sql, this.#workspaceId)
      if (keys === null) await this.#readAll()
      else if (keys.length > 0) await this.#readKeys(keys)
      this.#isComplete = true
    } catch (error) {
      for (const key of keys ?? []) this.#staleKeys.add(key)
      this.#areRulesStale ||= areRulesStale
      throw error
    }
  }

  async #readAll(): Promise<void> {
    let after: string | null = null
    do {
      const rows: ContractRow[] = await selectCurrentPage(this.#sql, this.#workspaceId, after, pageRows)
      for (const row of rows) this.#contracts.set(row.key, compileContract(toEventContract(row)))
      after = rows.length < pageRows ? null : (rows.at(-1)?.key ?? null)
    } while (after !== null)
    await this.#readVersionsInForce(null)
  }

  async #readKeys(keys: readonly string[]): Promise<void> {
    const rows = await selectCurrent(this.#sql, this.#workspaceId, keys)
    for (const row of rows) this.#contracts.set(row.key, compileContract(toEventContract(row)))
    for (const key of keys) this.#versionsInForce.delete(key)
    const changed = new Set(keys)
    for (const [name, { contract }] of this.#older) if (changed.has(contract.key)) this.#older.delete(name)
    await this.#readVersionsInForce(keys)
  }

  async #readVersionsInForce(keys: readonly string[] | null): Promise<void> {
    const rows = await selectVersionsInForce(this.#sql, this.#workspaceId, keys)
    for (const [key, versions] of Map.groupBy(rows, (row) => row.key)) {
      const current = this.#contracts.get(key)?.contract.version
      const older = versions.map(versionOf).filter((version) => version !== current)
      if (older.length > 0) this.#versionsInForce.set(key, new Set(older))
    }
  }

  /** Undefined when the rules changed meanwhile. */
  async #readSite(siteId: string): Promise<GateKnowledge | undefined> {
    const changes = this.#changes
    const rules = await mappingRules(this.#sql, this.#workspaceId, siteId)
    if (changes !== this.#changes) return undefined
    const known: GateKnowledge = {
      contracts: this.#contracts,
      findVersion: (name, version) => this.#findVersion(name, version),
      mapping: compiledRules(rules),
      ...this.#policy,
    }
    this.#sites.set(siteId, known)
    return known
  }

  #findVersion(name: string, version: string): CompiledContract | undefined {
    if (this.#versionsInForce.get(name)?.has(version) !== true) return undefined
    const id = `${name} ${version}`
    const compiled = this.#older.get(id)
    if (compiled === undefined) {
      this.#asked.set(id, { key: name, version })
      return undefined
    }
    this.#older.delete(id)
    this.#older.set(id, compiled)
    return compiled
  }

  async #readOlder(): Promise<void> {
    const asked = [...this.#asked.values()].map(({ key, version }) => ({
      key,
      numbers: readVersion(version),
    }))
    this.#asked.clear()
    const changes = this.#changes
    const rows = await selectGivenVersions(this.#sql, this.#workspaceId, asked)
    if (changes !== this.#changes) return
    for (const row of rows)
      this.#older.set(`${row.key} ${versionOf(row)}`, compileContract(toEventContract(row)))
    for (const id of this.#older.keys()) {
      if (this.#older.size <= olderMax) break
      this.#older.delete(id)
    }
  }
}
