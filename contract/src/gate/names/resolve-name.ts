import { standardByKey } from '../../registry/catalog.ts'
import type { CompiledContract } from '../contracts/compile.ts'
import { ownContracts } from '../contracts/compile.ts'
import type { Finding, GatePolicy, IssueCode } from '../issues.ts'
import { isWorse, severityIn } from '../issues.ts'
import type { RawEvent } from '../raw-event.ts'
import type { CompiledMapping, CompiledRule } from './mapping.ts'
import { isSnakeCase, toSnakeCase } from './names.ts'

type Registry = GatePolicy & {
  contracts: ReadonlyMap<string, CompiledContract>
  findVersion?: (name: string, version: string) => CompiledContract | undefined
  mapping: CompiledMapping
}

export type ResolvedName = {
  name: string
  rule: CompiledRule | undefined
  compiled: CompiledContract | undefined
  findings: readonly Finding[]
}

const noFindings: readonly Finding[] = []

/**
 * Finds the canonical name and its contract: custom rule, then a contract registered under that exact name,
 * then the bare standard name where the endpoint allows it, then default rule.
 */
export function resolveName(raw: RawEvent, registry: Registry): ResolvedName {
  const { name } = raw
  if (name.startsWith('$')) return resolveReserved(raw, registry)
  const normalised = toSnakeCase(name)
  const custom = registry.mapping.custom.get(normalised)
  if (custom !== undefined) return resolved(custom.rule.target, custom, raw, registry)
  const registered = contractOf(name, registry) ?? contractOf(normalised, registry)
  if (registered !== undefined) return resolved(registered.contract.name, undefined, raw, registry)
  if (raw.standardName !== undefined) return resolved(raw.standardName, undefined, raw, registry)
  const standard = registry.mapping.standard.get(normalised)
  if (standard !== undefined) return resolved(standard.rule.target, standard, raw, registry)
  return unresolved(name, normalised, undefined, registry)
}

/** A live contract under this exact name; the workspace's own takes precedence over the product's. */
function contractOf(name: string, registry: Registry): CompiledContract | undefined {
  const registered = registry.contracts.get(name)
  return registered?.isInForce === true ? registered : ownContracts.get(name)
}

function resolved(
  name: string,
  rule: CompiledRule | undefined,
  raw: RawEvent,
  registry: Registry,
): ResolvedName {
  const current = contractOf(name, registry)
  if (current === undefined) return unresolved(name, name, rule, registry)
  const compiled = stampedVersion(current, raw.contractVersion, registry) ?? current
  const findings = compiled.contract.status === 'deprecated' ? [deprecated(compiled)] : noFindings
  return { name, rule, compiled, findings }
}

/** Code generated for an older version is validated by that version while it is live. */
function stampedVersion(current: CompiledContract, stamped: string | undefined, registry: Registry) {
  if (stamped === undefined || stamped === current.contract.version) return undefined
  const older = registry.findVersion?.(current.contract.name, stamped)
  return older?.isInForce === true ? older : undefined
}

function resolveReserved(raw: RawEvent, registry: Registry): ResolvedName {
  const { name } = raw
  if (ownContracts.has(name)) return resolved(name, undefined, raw, registry)
  const meant = standardByKey.get(toSnakeCase(name.slice(1)))?.name
  const hint = meant === undefined ? 'Drop the $ and register the event' : `Send ${meant}`
  const finding: Finding = {
    code: 'reserved_name',
    field: 'event',
    message: `${hint}: names beginning with $ are kept for the 18 standard events.`,
    expected: meant ?? 'a name without $',
    actual: name.slice(0, 80),
  }
  return { name, rule: undefined, compiled: undefined, findings: [finding] }
}

/**
 * A name without a contract. If it is counted anyway, all spellings of one name are counted as one, and under
 * the name that a contract will have, so that registering it later does not split the numbers.
 */
function unresolved(
  name: string,
  normalised: string,
  rule: CompiledRule | undefined,
  registry: Registry,
): ResolvedName {
  const code: IssueCode = isSnakeCase(name) ? 'unknown_event' : 'invalid_name'
  const isCounted = isWorse('quarantine', severityIn(registry, undefined, code))
  const counted = isCounted && isSnakeCase(normalised) ? normalised : name
  const known = registry.contracts.get(normalised)?.contract
  const cure =
    known === undefined
      ? `Register ${suggestion(normalised)} or map the name to a standard event`
      : publish(known)
  const as = counted === name ? '' : ` as ${counted}`
  const renamed = code === 'invalid_name' && !isCounted ? ' and send it by that name' : ''
  const finding: Finding = {
    code,
    field: 'event',
    message: `${cure}${renamed}; ${isCounted ? `until then it is counted${as} without checks` : 'then release the event'}.`,
    expected: code === 'unknown_event' ? 'a registered event' : 'lowercase snake_case',
    actual: name.slice(0, 80),
  }
  return { name: counted, rule, compiled: undefined, findings: [finding] }
}

/** A contract that is not live: a drafted event is still unknown. */
function publish({ key, status, version }: CompiledContract['contract']): string {
  return status === 'draft'
    ? `Publish the contract ${key}, which is still a draft (${version})`
    : `Publish a new version of ${key}, which is ${status}`
}

function suggestion(normalised: string): string {
  const cleaned = normalised
    .slice(0, 80)
    .replace(/[^a-z0-9_]+/g, '_')
    .replace(/^_+|_+$/g, '')
  return cleaned === '' ? 'order_completed' : cleaned
}

function deprecated({ contract }: CompiledContract): Finding {
  const instead = contract.replaced_by === undefined ? '' : ` Send ${contract.replaced_by} instead.`
  return {
    code: 'deprecated_key',
    field: 'event',
    message: `${contract.name} ${contract.version} is deprecated.${instead}`,
    expected: contract.replaced_by ?? null,
    actual: contract.name,
  }
}
