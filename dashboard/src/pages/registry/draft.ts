import {
  type AdditionalOutcome,
  type ConsentCategory,
  type Contract,
  type ContractDraft,
  type PropertyRule,
  type PropertyType,
  type Proposal,
  propertyTypes,
  type Surface,
  surfaces,
} from '@assay/contract'

/** One line of the editor. What the line has no place for, such as nested rules, is kept as it was. */
export type DraftProperty = { id: number; name: string; rule: PropertyRule }

export type Draft = {
  key: string
  description: string
  additional: AdditionalOutcome
  purpose: ConsentCategory
  surfaces: readonly Surface[]
  properties: readonly DraftProperty[]
}

export function emptyDraft(key: string): Draft {
  return {
    key,
    description: '',
    additional: 'warn',
    purpose: 'analytics_storage',
    surfaces,
    properties: [],
  }
}

/** As the events that came suggest it. */
export function proposedDraft({ key, contract }: Proposal): Draft {
  const properties = Object.entries(contract.properties).map(([name, rule], id) => ({ id, name, rule }))
  return { ...emptyDraft(key), additional: contract.additional, properties }
}

export function draftOf({ properties, ...contract }: Contract): Draft {
  const { key, description, additional, purpose } = contract
  const lines = Object.entries(properties).map(([name, rule], id) => ({ id, name, rule }))
  return { key, description, additional, purpose, surfaces: contract.surfaces, properties: lines }
}

/** As the registry takes it; lines without a name are not meant yet. */
export function bodyOf(draft: Draft): ContractDraft {
  const { key, description, additional, purpose } = draft
  const named = draft.properties.filter(({ name }) => name.trim() !== '')
  return {
    key: key.trim(),
    description,
    additional,
    purpose,
    surfaces: [...draft.surfaces],
    properties: Object.fromEntries(named.map(({ name, rule }) => [name.trim(), { ...rule }])),
  }
}

/** Two lines of one name: the registry would keep the last of them alone. */
export function isTwice({ properties }: Draft, name: string): boolean {
  return name.trim() !== '' && properties.filter((line) => line.name.trim() === name.trim()).length > 1
}

export function withLine(draft: Draft, id: number, change: Partial<Omit<DraftProperty, 'id'>>): Draft {
  const properties = draft.properties.map((line) => (line.id === id ? { ...line, ...change } : line))
  return { ...draft, properties }
}

export function withNewLine(draft: Draft): Draft {
  const id = Math.max(-1, ...draft.properties.map((line) => line.id)) + 1
  return { ...draft, properties: [...draft.properties, { id, name: '', rule: { type: 'string' } }] }
}

export function withoutLine(draft: Draft, id: number): Draft {
  return { ...draft, properties: draft.properties.filter((line) => line.id !== id) }
}

/** Another type makes what was said about the values of the old one void. */
export function retyped(rule: PropertyRule, wanted: string): PropertyRule {
  const type: PropertyType = propertyTypes.find((name) => name === wanted) ?? rule.type
  const { required, description, pii, deprecated } = rule
  return {
    type,
    ...(required !== undefined && { required }),
    ...(description !== undefined && { description }),
    ...(pii !== undefined && { pii }),
    ...(deprecated !== undefined && { deprecated }),
  }
}
