import type { ConsentCategory, EventContract, PropertyRule, Surface } from '@assay/contract'

/** The words in which the packs are written: a few kinds of property, and the contract itself. */

type Rules = Readonly<Record<string, PropertyRule>>

export function text(description: string, more: Partial<PropertyRule> = {}): PropertyRule {
  return { type: 'string', description, ...more }
}

/** Words of a person. They are where e-mail addresses and card numbers end up by accident. */
export function freeText(description: string): PropertyRule {
  return text(description, { pii: 'deny' })
}

/** An identifier: whatever the sender likes, but neither empty nor with blanks in it. */
export function id(description: string): PropertyRule {
  return text(description, { pattern: '^\\S+$' })
}

/** A short machine-readable name such as `insufficient_funds`. */
export function code(description: string): PropertyRule {
  return text(description, { pattern: '^[A-Za-z0-9_.:-]+$' })
}

export function oneOf(values: readonly string[], description: string): PropertyRule {
  return text(description, { enum: values })
}

export function number(description: string, more: Partial<PropertyRule> = {}): PropertyRule {
  return { type: 'number', description, ...more }
}

/** How many; never below zero. */
export function count(description: string): PropertyRule {
  return number(description, { minimum: 0 })
}

/** A place in a list, counted from 1 as people do. */
export function position(description: string): PropertyRule {
  return number(description, { minimum: 1 })
}

export function percent(description: string): PropertyRule {
  return number(description, { minimum: 0, maximum: 100 })
}

export function money(description: string): PropertyRule {
  return number(`${description}, in major units of \`currency\``, { minimum: 0 })
}

export const currency: PropertyRule = text('ISO 4217 code of the amounts in this event', {
  format: 'currency',
})

/** ISO 3166-1 alpha-2. */
export function country(description: string): PropertyRule {
  return text(`${description}, as a two-letter ISO 3166 code`, { pattern: '^[A-Z]{2}$' })
}

/** BCP 47: a language, then perhaps a script, a region and so on. */
export function language(description: string): PropertyRule {
  return text(`${description}, as a language tag such as \`en\` or \`pt-BR\``, {
    pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
  })
}

export function flag(description: string): PropertyRule {
  return { type: 'boolean', description }
}

export function listOf(items: PropertyRule, description: string): PropertyRule {
  return { type: 'array', description, items }
}

export function record(properties: Rules, description: string): PropertyRule {
  return { type: 'object', description, properties }
}

/** The rules, each marked as one that must be there. */
export function required(rules: Rules): Rules {
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, { ...rule, required: true }]))
}

type Draft = {
  owner: string
  category: string
  required: Rules
  optional?: Rules
  surfaces?: readonly Surface[]
  purpose?: ConsentCategory
}

const everywhere: readonly Surface[] = ['web', 'ios', 'android', 'server']
export const inApps: readonly Surface[] = ['ios', 'android']
export const onClients: readonly Surface[] = ['web', 'ios', 'android']
/** For facts that only the server knows: a browser must not be trusted with them. */
export const onServer: readonly Surface[] = ['server']

/** An unnamed property leads to a warning: nothing is lost, and a misspelt name does not go unnoticed. */
export function contract(key: string, description: string, draft: Draft): EventContract {
  return {
    key,
    name: key,
    version: '1-0-0',
    status: 'published',
    description,
    owner: draft.owner,
    category: draft.category,
    properties: { ...required(draft.required), ...draft.optional },
    additional: 'warn',
    surfaces: draft.surfaces ?? everywhere,
    purpose: draft.purpose ?? 'analytics_storage',
  }
}
