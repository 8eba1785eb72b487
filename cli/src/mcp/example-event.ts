import type { EventContract, GateCase, PropertyRule } from '@assay/contract'

/** A value that satisfies the rule, if one can be found without solving a pattern. */
function exampleValue(rule: PropertyRule): unknown {
  if (rule.enum !== undefined) return rule.enum[0]
  switch (rule.type) {
    case 'number':
      return rule.minimum ?? Math.min(1, rule.maximum ?? 1)
    case 'boolean':
      return true
    case 'array':
      return rule.items === undefined ? [] : [exampleValue(rule.items)]
    case 'object':
      return exampleProperties(rule.properties ?? {}, () => true)
    case 'string':
      return rule.format === 'currency' ? 'EUR' : 'text'
  }
}

export function exampleProperties(
  properties: EventContract['properties'],
  isWanted: (rule: PropertyRule) => boolean,
): Record<string, unknown> {
  const wanted = Object.entries(properties).filter(([, rule]) => isWanted(rule) && rule.deprecated !== true)
  return Object.fromEntries(wanted.map(([name, rule]) => [name, exampleValue(rule)]))
}

/**
 * Cases for `assay validate --cases`: a valid event, and one event per missing required property. No value is
 * generated for a pattern, so an event that requires one is only tested for missing properties.
 */
export function contractCases(contract: EventContract, receivedAt: number): GateCase[] {
  const given = { receivedAt, contracts: [{ ...contract, status: 'published' as const }] }
  const whole = exampleProperties(contract.properties, () => true)
  const input = (properties: object) => ({ event: contract.name, anonymous_id: 'visitor-1', properties })
  const required = Object.entries(contract.properties).filter(([, rule]) => rule.required === true)
  const passing: GateCase[] = hasPattern(contract.properties)
    ? []
    : [
        {
          name: `${contract.key} as described is accepted`,
          endpoint: 'track',
          given,
          input: input(whole),
          expect: { outcome: 'accept', codes: [] },
        },
      ]
  const missing = required.map(([name]): GateCase => {
    const { [name]: _, ...rest } = whole
    return {
      name: `${contract.key} without ${name} is rejected`,
      endpoint: 'track',
      given,
      input: input(rest),
      expect: { outcome: 'reject', codes: ['required_missing'] },
    }
  })
  return [...passing, ...(hasPattern(contract.properties) ? [] : missing)]
}

function hasPattern(properties: EventContract['properties']): boolean {
  return Object.values(properties).some(
    ({ pattern, items, properties: nested }) =>
      pattern !== undefined ||
      (items !== undefined && hasPattern({ items })) ||
      (nested !== undefined && hasPattern(nested)),
  )
}
