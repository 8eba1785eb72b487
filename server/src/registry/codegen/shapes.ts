import type { Environment, EventContract, PropertyRule, Surface } from '@assay/contract'
import { identifierWords, isPlain, singular, wordsOf } from './names.ts'
import { byCodeUnit } from './text.ts'

export type Scalar = string | number | boolean

/** Where a named type stands: its event's key, then property names; `[]` is the element of a list. */
export type Path = readonly string[]

export type Choice = {
  kind: 'choice'
  of: 'string' | 'number' | 'boolean'
  path: Path
  values: readonly Scalar[]
}
export type Fields = {
  kind: 'record'
  path: Path
  description: string
  members: readonly Member[]
  /** Whether members beyond these are welcome. */
  isOpen: boolean
}
export type Shape =
  | { kind: 'string' | 'number' | 'boolean' | 'json' | 'jsonObject' }
  | { kind: 'list'; item: Shape }
  | Choice
  | Fields

export type Member = {
  name: string
  shape: Shape
  isRequired: boolean
  isDeprecated: boolean
  description: string
  /** Rules that no type can express, as sentences. */
  rules: readonly string[]
}

/** An event as all emitters see it; members stand in the order of their names, however they came. */
export type EventShape = {
  key: string
  name: string
  version: string
  description: string
  owner: string | undefined
  surfaces: readonly Surface[]
  isDeprecated: boolean
  /** Not live: the gate does not know it yet. */
  isDraft: boolean
  replacedBy: string | undefined
  properties: Fields
}

/** What an emitter is given (events in the order of their keys) and what it gives back. */
export type Registry = { events: readonly EventShape[]; environment: Environment; registryHash: string }
export type GeneratedText = { path: string; content: string }

type Described = { properties?: Readonly<Record<string, PropertyRule>>; description?: string }

const listElement = '[]'

export function eventShape(contract: EventContract): EventShape {
  const isOpen = contract.additional === 'accept'
  return {
    key: contract.key,
    name: contract.name,
    version: contract.version,
    description: contract.description,
    owner: contract.owner,
    surfaces: contract.surfaces,
    isDeprecated: contract.status === 'deprecated',
    isDraft: contract.status === 'draft',
    replacedBy: contract.replaced_by,
    properties: fields(contract, [contract.key], isOpen),
  }
}

function fields(
  { properties: rules = {}, description = '' }: Described,
  path: Path,
  isOpen: boolean,
): Fields {
  const names = Object.keys(rules).toSorted(byCodeUnit)
  const members = names.flatMap((name) => {
    const rule = rules[name]
    return rule === undefined ? [] : [member(name, rule, [...path, name], isOpen)]
  })
  return { kind: 'record', path, description, members, isOpen }
}

function member(name: string, rule: PropertyRule, path: Path, isOpen: boolean): Member {
  const rules = rulesInWords(rule)
  const isDeprecated = rule.deprecated === true
  const description = rule.description ?? ''
  return {
    name,
    shape: shapeOf(rule, path, isOpen),
    isRequired: rule.required === true,
    isDeprecated,
    description: isDeprecated || rules.length > 0 ? withFullStop(description) : description,
    rules,
  }
}

function shapeOf(rule: PropertyRule, path: Path, isOpen: boolean): Shape {
  switch (rule.type) {
    case 'array':
      return {
        kind: 'list',
        item: rule.items ? shapeOf(rule.items, [...path, listElement], isOpen) : { kind: 'json' },
      }
    case 'object':
      return objectShape(rule, path, isOpen)
    default:
      return scalarShape(rule.type, rule.enum ?? [], path)
  }
}

/** To the gate, an object whose members are listed has no others, even when the list is empty. */
function objectShape(rule: Described, path: Path, isOpen: boolean): Shape {
  const { properties } = rule
  if (properties === undefined || (isOpen && Object.keys(properties).length === 0))
    return { kind: 'jsonObject' }
  return fields(rule, path, isOpen)
}

/** Values of another type than the property's can never pass the gate, so they are no choice. */
function scalarShape(of: Choice['of'], allowed: readonly Scalar[], path: Path): Shape {
  const isPossible = (value: Scalar) => typeof value === of && (of !== 'number' || Number.isFinite(value))
  const values = [...new Set(allowed.filter(isPossible))]
  return values.length === 0 ? { kind: of } : { kind: 'choice', of, path, values }
}

function rulesInWords(rule: PropertyRule): string[] {
  const sentences: string[] = []
  const isCode = rule.format === 'currency' && !rule.description?.includes('ISO 4217')
  if (isCode) sentences.push('An ISO 4217 currency code.')
  if (rule.enum?.some((value) => typeof value !== 'string' && !Number.isInteger(value))) {
    // Not every language has a type for a choice of fractions or of one truth value.
    sentences.push(`One of: ${rule.enum.join(', ')}.`)
  }
  if (rule.minimum !== undefined) sentences.push(`At least ${rule.minimum}.`)
  if (rule.maximum !== undefined) sentences.push(`At most ${rule.maximum}.`)
  if (rule.pattern !== undefined) sentences.push(`Matches ${rule.pattern}`)
  if (rule.pii === 'deny') sentences.push('Must not hold personal data.')
  return sentences
}

/** A description that more sentences follow. */
function withFullStop(text: string): string {
  return /[\p{L}\p{N}\p{Pe}\p{Pf}`"']$/u.test(text) ? `${text}.` : text
}

/** The types that need a name, innermost first, so that each is declared before it is used. */
export function namedShapes(shape: Shape): (Choice | Fields)[] {
  if (shape.kind === 'list') return namedShapes(shape.item)
  if (shape.kind === 'choice') return [shape]
  if (shape.kind !== 'record') return []
  return [...shape.members.flatMap((member) => namedShapes(member.shape)), shape]
}

/** A path as text; that of an event is its key in quotes, so that its type and its function share a hash. */
export function pathKey(path: Path): string {
  return JSON.stringify(path).slice(1, -1)
}

/** Who keeps a name that several types wish for: an event before what is nested, a plain name before others. */
export function pathRank(path: Path): number {
  const steps = path.filter((step) => step !== listElement)
  return path.length * 2 + (steps.every(isPlain) ? 0 : 1)
}

/** The words of a type's name within its parent; a list's element takes the singular of the list's name. */
export function localWords(path: Path): string[] {
  const elements = path.length - path.findLastIndex((step) => step !== listElement) - 1
  const named = path.at(-1 - elements) ?? ''
  let words = path.length - elements === 1 ? identifierWords(named, 'event') : wordsOf(named)
  for (let level = 0; level < elements; level += 1) words = singular(words)
  return words.length === 0 ? ['value'] : words
}

/** The words of a type's name among all types: its parents' words come first. */
export function globalWords(path: Path): string[] {
  const ends = path.flatMap((_, index) => (path[index + 1] === listElement ? [] : [index + 1]))
  return ends.flatMap((end) => localWords(path.slice(0, end)))
}
