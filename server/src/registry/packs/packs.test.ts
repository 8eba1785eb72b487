import {
  builtInEvents,
  compileContracts,
  compileMapping,
  contractProblems,
  defaultRules,
  type EventContract,
  judgeReading,
  type Known,
  type PropertyRule,
  readTrack,
  standardEvents,
} from '@assay/contract'
import { describe, expect, test } from 'vitest'
import { packs } from './index.ts'

const contracts = packs.flatMap((pack) => pack.contracts)
const known: Known = {
  contracts: compileContracts(contracts),
  mapping: compileMapping(defaultRules),
  keyClass: 'secret',
  receivedAt: 1_700_000_000_000,
}

/** A value for each pattern the packs use; a new pattern needs an example here, which also shows that it is meant so. */
const examples: Readonly<Record<string, string>> = {
  '^\\S+$': 'id-1',
  '^[A-Za-z0-9_.:-]+$': 'first_report_shared',
  '^[A-Z]{2}$': 'DE',
  '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$': 'pt-BR',
  '^\\d{4}-\\d{2}-\\d{2}$': '2026-01-31',
  '^\\d{4}$': '5411',
  '^[A-Z]{2}[A-Z0-9]{9}[0-9]$': 'US0378331005',
}

function exampleOf(rule: PropertyRule): unknown {
  if (rule.enum !== undefined) return rule.enum[0]
  if (rule.format === 'currency') return 'EUR'
  if (rule.pattern !== undefined) return examples[rule.pattern]
  if (rule.type === 'number') return rule.minimum ?? 1
  if (rule.type === 'boolean') return true
  if (rule.type === 'array') return rule.items === undefined ? [] : [exampleOf(rule.items)]
  if (rule.type === 'object') return exampleProperties(rule.properties ?? {}, () => true)
  return 'some words'
}

function exampleProperties(
  rules: Readonly<Record<string, PropertyRule>>,
  isWanted: (rule: PropertyRule) => boolean,
): Record<string, unknown> {
  const wanted = Object.entries(rules).filter(([, rule]) => isWanted(rule))
  return Object.fromEntries(wanted.map(([name, rule]) => [name, exampleOf(rule)]))
}

function verdict(contract: EventContract, properties: Record<string, unknown>) {
  const reading = readTrack({ event: contract.name, user_id: 'u_1', properties })
  if (reading.kind === 'alias') throw new Error('an event is no alias')
  const { outcome, issues } = judgeReading(reading, known)
  return { outcome, codes: issues.map((issue) => issue.code) }
}

type NamedRule = [name: string, rule: PropertyRule]
const pair = (name: string, rule: PropertyRule): NamedRule => [name, rule]

function rulesOf(properties: Readonly<Record<string, PropertyRule>>): NamedRule[] {
  return Object.entries(properties).flatMap(([name, rule]) => [
    pair(name, rule),
    ...rulesOf(rule.properties ?? {}),
    ...(rule.items === undefined ? [] : rulesOf({ [`${name}[]`]: rule.items })),
  ])
}

test('the six packs are there, each with 8 to 20 contracts', () => {
  expect(packs.map((pack) => pack.key)).toEqual([
    'ecommerce',
    'saas',
    'media',
    'marketplace',
    'fintech',
    'mobile_app',
  ])
  for (const pack of packs) {
    expect(pack.contracts.length).toBeGreaterThanOrEqual(8)
    expect(pack.contracts.length).toBeLessThanOrEqual(20)
    expect(pack.description).toMatch(/\.$/)
  }
})

test('no key stands twice, in one pack or in two, and none is that of an event the product brings itself', () => {
  const keys = [...contracts, ...standardEvents, ...builtInEvents].map((contract) => contract.key)
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
})

test('the registry would take every contract as it is', () => {
  expect(contracts.flatMap(contractProblems)).toEqual([])
})

test('no pack takes a name away from a default mapping rule', () => {
  const sources = new Set(defaultRules.map((rule) => rule.source.toLowerCase().replaceAll(/[\s-]+/g, '_')))
  expect(contracts.map((contract) => contract.name).filter((name) => sources.has(name))).toEqual([])
})

describe.each(contracts.map((contract) => [contract.key, contract] as const))('%s', (key, contract) => {
  test('is named in snake_case, described in a sentence, owned and in a category', () => {
    expect(key).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
    expect(contract.name).toBe(key)
    expect(contract.version).toBe('1-0-0')
    expect(contract.description).toMatch(/^[A-Z].+\.$|^iOS .+\.$/)
    expect(contract.owner).toMatch(/^[a-z]+$/)
    expect(contract.category).toMatch(/^[A-Z]/)
    expect(contract.surfaces.length).toBeGreaterThan(0)
  })

  test('names its properties in snake_case and describes each', () => {
    for (const [name, rule] of rulesOf(contract.properties)) {
      expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*(\[\])?$/)
      expect(rule.description).toMatch(/^[A-Z]/)
      expect(new Set(rule.enum).size).toBe(rule.enum?.length ?? 0)
      for (const value of rule.enum ?? []) if (typeof value === 'string') expect(value).toMatch(/^[\w+-]+$/)
    }
  })

  test('allows an amount only with a currency', () => {
    const isMoney = ([, rule]: NamedRule) => rule.description?.includes('`currency`') ?? false
    if (rulesOf(contract.properties).some(isMoney)) expect(contract.properties).toHaveProperty('currency')
    const required = Object.entries(contract.properties).filter(([, rule]) => rule.required === true)
    if (required.some(isMoney)) expect(contract.properties.currency?.required).toBe(true)
  })

  test('is accepted by the gate with all its properties, and with the required ones alone', () => {
    const full = exampleProperties(contract.properties, () => true)
    const least = exampleProperties(contract.properties, (rule) => rule.required === true)
    expect(verdict(contract, full)).toEqual({ outcome: 'accept', codes: [] })
    expect(verdict(contract, least)).toEqual({ outcome: 'accept', codes: [] })
  })

  test('is refused by the gate without any one required property, and warns of an unknown one', () => {
    const full = exampleProperties(contract.properties, () => true)
    for (const [name, rule] of Object.entries(contract.properties)) {
      if (rule.required !== true) continue
      const { [name]: _, ...rest } = full
      expect(verdict(contract, rest).codes).toContain('required_missing')
    }
    expect(verdict(contract, { ...full, misspelt_name: 1 })).toEqual({
      outcome: 'warn',
      codes: ['unexpected_property'],
    })
  })
})
