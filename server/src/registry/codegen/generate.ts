import { createHash } from 'node:crypto'
import type { CodeLanguage, ContractStatus, Environment, EventContract, Surface } from '@assay/contract'
import { emitPython } from './python.ts'
import { hashRegistry } from './registry-hash.ts'
import { eventShape, type GeneratedText, type Registry } from './shapes.ts'
import { emitSwift } from './swift.ts'
import { byCodeUnit } from './text.ts'
import { emitTypeScript } from './typescript.ts'

type GeneratedFile = GeneratedText & { sha256: string }
export type GeneratedCode = { registry_hash: string; files: GeneratedFile[] }

const emitters: Record<CodeLanguage, (registry: Registry) => GeneratedText[]> = {
  typescript: emitTypeScript,
  python: emitPython,
  swift: emitSwift,
}

type GenerateOptions = {
  environment: Environment
  /** Only events that are sent from there; all where it is left out. */
  surface?: Surface | undefined
  registryHash?: string
}

/**
 * Typed bindings for the contracts that an environment knows. The same contracts give the same bytes, in whatever
 * order they come, so that generating again shows a difference only when the registry has changed.
 */
export function generate(
  language: CodeLanguage,
  contracts: readonly EventContract[],
  { environment, surface, registryHash }: GenerateOptions,
): GeneratedCode {
  const inForce = contractsIn(environment, contracts).filter(
    ({ surfaces }) => surface === undefined || surfaces.length === 0 || surfaces.includes(surface),
  )
  const registry: Registry = {
    events: inForce.map(eventShape),
    environment,
    registryHash: registryHash ?? hashRegistry(inForce),
  }
  const files = emitters[language](registry).map((file) => ({ ...file, sha256: sha256(file.content) }))
  return { registry_hash: registry.registryHash, files }
}

/** Production code contains live contracts only; other environments include drafts. */
const knownStatuses: Readonly<Record<Environment, readonly ContractStatus[]>> = {
  production: ['published', 'deprecated'],
  staging: ['published', 'deprecated', 'draft'],
  development: ['published', 'deprecated', 'draft'],
}

export function includesDrafts(environment: Environment): boolean {
  return knownStatuses[environment].includes('draft')
}

/** Archived contracts are left out; of several versions of a key the highest is used. */
function contractsIn(environment: Environment, contracts: readonly EventContract[]): EventContract[] {
  const binding = contracts.filter(({ status }) => knownStatuses[environment].includes(status))
  const highest = new Map<string, EventContract>()
  for (const contract of binding) {
    const other = highest.get(contract.key)
    if (other === undefined || compareVersions(contract, other) > 0) highest.set(contract.key, contract)
  }
  const inForce = [...highest.values()].toSorted((left, right) => byCodeUnit(left.key, right.key))
  for (const [name, sharing] of Map.groupBy(inForce, (contract) => contract.name)) {
    if (sharing.length > 1) throw new Error(`several contracts claim the event name ${JSON.stringify(name)}`)
  }
  return inForce
}

/** Two contracts of one version are a broken registry; their hashes keep even that deterministic. */
function compareVersions(left: EventContract, right: EventContract): number {
  for (const index of [0, 1, 2]) {
    const difference = versionPart(left, index) - versionPart(right, index)
    if (difference !== 0) return difference
  }
  return byCodeUnit(hashRegistry([left]), hashRegistry([right]))
}

function versionPart({ version }: EventContract, index: number): number {
  const part = Number(version.split('-')[index])
  return Number.isFinite(part) ? part : -1
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
