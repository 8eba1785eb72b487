import { builtInByName, builtInEvents, standardByName, standardEvents } from '../../registry/catalog.ts'
import type { EventContract, PropertyRule, PropertyType } from '../../registry/event-contract.ts'
import { compilePattern } from '../patterns/pattern.ts'
import type { PiiPolicy } from '../pii/pii-policy.ts'
import { currencyCodes } from './currencies.ts'

/** What is wrong with a value of the right type; `instead` is the same value in its canonical spelling. */
type Complaint = { expected: string; instead?: unknown }
export type ValueCheck = (value: unknown) => Complaint | undefined

export type CompiledProperty = {
  name: string
  type: PropertyType
  isRequired: boolean
  isDeprecated: boolean
  pii: PiiPolicy
  check: ValueCheck | undefined
  items: CompiledProperty | undefined
  members: CompiledMembers | undefined
}

export type CompiledMembers = {
  byName: ReadonlyMap<string, CompiledProperty>
  required: readonly string[]
}

export type CompiledContract = {
  contract: EventContract
  members: CompiledMembers
  /** Personal data allowed in undeclared properties. */
  pii: PiiPolicy
  /** Extra properties are never an issue on the product's own events. */
  isOpen: boolean
  /** Draft and archived contracts are not live: their event counts as unknown. */
  isInForce: boolean
}

/**
 * Compiles a contract into closures. Total: an invalid pattern matches no value, so that its events are
 * quarantined.
 */
export function compileContract(contract: EventContract): CompiledContract {
  const isIdentity = contract.name === '$identify' || contract.name === 'group'
  const pii = isIdentity ? 'identity' : 'default'
  return {
    contract,
    members: compileMembers(contract.properties, pii),
    pii,
    isOpen: standardByName.has(contract.name) || builtInByName.get(contract.name) === contract,
    isInForce: contract.status === 'published' || contract.status === 'deprecated',
  }
}

/**
 * A registry by canonical name, as `judge` needs it. Of several versions of one event the last in the list
 * wins.
 */
export function compileContracts(contracts: Iterable<EventContract>): Map<string, CompiledContract> {
  const compiled = new Map<string, CompiledContract>()
  for (const contract of contracts) compiled.set(contract.name, compileContract(contract))
  return compiled
}

/** The 18 and the built-in events, live in every workspace. */
export const ownContracts: ReadonlyMap<string, CompiledContract> = compileContracts([
  ...standardEvents,
  ...builtInEvents,
])

function compileMembers(properties: Readonly<Record<string, PropertyRule>>, pii: PiiPolicy): CompiledMembers {
  const byName = new Map<string, CompiledProperty>()
  const required: string[] = []
  for (const [name, rule] of Object.entries(properties)) {
    byName.set(name, compileProperty(name, rule, pii))
    if (rule.required === true) required.push(name)
  }
  return { byName, required }
}

function compileProperty(name: string, rule: PropertyRule, inherited: PiiPolicy): CompiledProperty {
  const pii = rule.pii ?? inherited
  return {
    name,
    type: rule.type,
    isRequired: rule.required === true,
    isDeprecated: rule.deprecated === true,
    pii,
    check: compileCheck(rule),
    items: rule.items === undefined ? undefined : compileProperty('', rule.items, pii),
    members: rule.properties === undefined ? undefined : compileMembers(rule.properties, pii),
  }
}

function compileCheck(rule: PropertyRule): ValueCheck | undefined {
  const checks: ValueCheck[] = []
  if (rule.format === 'currency') checks.push(checkCurrency)
  if (rule.enum !== undefined) checks.push(checkEnum(rule.enum))
  if (rule.pattern !== undefined) checks.push(checkPattern(rule.pattern))
  if (rule.minimum !== undefined || rule.maximum !== undefined)
    checks.push(checkRange(rule.minimum, rule.maximum))
  if (checks.length <= 1) return checks[0]
  return (value) => {
    for (const check of checks) {
      const complaint = check(value)
      if (complaint !== undefined) return complaint
    }
    return undefined
  }
}

function checkCurrency(value: unknown): Complaint | undefined {
  if (typeof value !== 'string' || currencyCodes.has(value)) return undefined
  const expected = 'ISO 4217 currency code such as EUR'
  const upper = value.length === 3 ? value.toUpperCase() : value
  return currencyCodes.has(upper) ? { expected, instead: upper } : { expected }
}

function checkEnum(allowed: readonly (string | number | boolean)[]): ValueCheck {
  const values: ReadonlySet<unknown> = new Set(allowed)
  // Twelve choices are enough for a sender; a list of hundreds would only make the answer large.
  const shown = allowed.slice(0, 12).join(', ')
  const expected = `one of ${shown}${allowed.length > 12 ? ', …' : ''}`
  return (value) => (values.has(value) ? undefined : { expected })
}

function checkPattern(pattern: string): ValueCheck {
  const compiled = compilePattern(pattern)
  const expected = compiled.ok ? `text that matches ${pattern}` : `a usable pattern: ${compiled.problem}`
  const matches = compiled.ok ? compiled.matches : () => false
  return (value) => (typeof value !== 'string' || matches(value) ? undefined : { expected })
}

function checkRange(minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY): ValueCheck {
  const low = minimum === Number.NEGATIVE_INFINITY ? '' : `at least ${minimum}`
  const high = maximum === Number.POSITIVE_INFINITY ? '' : `at most ${maximum}`
  const expected = [low, high].filter(Boolean).join(' and ')
  return (value) =>
    typeof value !== 'number' || (value >= minimum && value <= maximum) ? undefined : { expected }
}
