import type { PropertyRule, PropertyType } from '@assay/contract'
import { isRecord, numberIn } from '@assay/contract'

type Inferred = {
  properties: Record<string, PropertyRule>
  leftOut: { property: string; reason: string }[]
}

/** Properties of one contract; the most frequent ones stay. */
const propertiesMax = 100
/** As deep as `items` and members of objects are described. */
const depthMax = 3
/** With fewer events it may be chance that all of them had a property. */
const requiredEventsMin = 10
/** A value outside an enum or a range quarantines the event, so these are only claimed from many values. */
const limitValuesMin = 50
const enumValuesMax = 10
/** A value that came once or twice may be one of many that are still to come. */
const enumSightingsMin = 3
const enumCharactersMax = 50
/** Elements of an array that are looked at. */
const elementsMax = 20

/** What the events have in common, as rules that all of them pass. */
export function inferProperties(events: readonly Readonly<Record<string, unknown>>[]): Inferred {
  return inferMembers(events, 1)
}

function inferMembers(objects: readonly Readonly<Record<string, unknown>>[], depth: number): Inferred {
  const values = new Map<string, unknown[]>()
  for (const object of objects) {
    for (const [name, value] of Object.entries(object)) {
      if (value === null || value === undefined) continue
      const known = values.get(name)
      if (known === undefined) values.set(name, [value])
      else known.push(value)
    }
  }
  const byUse = [...values].toSorted(
    ([leftName, left], [rightName, right]) => right.length - left.length || (leftName < rightName ? -1 : 1),
  )
  const properties: Record<string, PropertyRule> = Object.create(null)
  const leftOut: Inferred['leftOut'] = []
  for (const [at, [property, seen]] of byUse.entries()) {
    const rule = at < propertiesMax ? inferRule(property, seen, depth) : null
    if (rule === null) leftOut.push({ property, reason: at < propertiesMax ? mixed : tooMany })
    else properties[property] = isAlways(seen, objects) ? { ...rule, required: true } : rule
  }
  return { properties: { ...properties }, leftOut: leftOut.slice(0, propertiesMax) }
}

const mixed = 'It holds values and lists or objects, which no type covers.'
const tooMany = `A contract is proposed with ${propertiesMax} properties at most.`

function isAlways(seen: readonly unknown[], objects: readonly unknown[]): boolean {
  return objects.length >= requiredEventsMin && seen.length === objects.length
}

/** Null where no type covers all values. */
function inferRule(name: string, values: readonly unknown[], depth: number): PropertyRule | null {
  const type = areNumbers(name, values) ? 'number' : widestType(values)
  switch (type) {
    case null:
      return null
    case 'array':
      return { type, ...itemsOf(name, values, depth) }
    case 'object':
      return { type, ...membersOf(values, depth) }
    case 'number':
      return { type, ...rangeOf(values) }
    case 'string':
      return { type, ...enumOf(values) }
    default:
      return { type }
  }
}

/** Digits that are no amount: the next value may have a letter or a leading zero. */
const digitWords = 'ids?|codes?|zip|postcode|phone|number|no|nr|sku|ref|key|token|version'
const digitNames = new RegExp(`(?:^|_)(?:${digitWords})$`, 'i')
/** The same in camelCase, so that `paid` is none. */
const digitNamesInCamelCase =
  /[a-z](?:I[dD]s?|Codes?|Zip|Postcode|Phone|Number|No|Nr|Sku|Ref|Key|Token|Version)$/

/** Text that is a number in every event is a number: forms and templates send it as text. */
function areNumbers(name: string, values: readonly unknown[]): boolean {
  if (digitNames.test(name) || digitNamesInCamelCase.test(name)) return false
  return values.every((value) => numberOf(value) !== null)
}

function numberOf(value: unknown): number | null {
  return typeof value === 'string' ? numberIn(value) : typeof value === 'number' ? value : null
}

/** Every scalar can be written as text without loss; a list or an object is neither text nor each other. */
function widestType(values: readonly unknown[]): PropertyType | null {
  const types = new Set(values.map(typeOf))
  const [first] = types
  if (types.size <= 1) return first ?? null
  return types.has('array') || types.has('object') ? null : 'string'
}

function typeOf(value: unknown): PropertyType {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string')
    return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'string'
  return 'object'
}

/** The top is left open: tomorrow's largest order is no mistake. A negative number among none may well be one. */
function rangeOf(values: readonly unknown[]): { minimum?: number } {
  const isNeverNegative = values.every((value) => (numberOf(value) ?? -1) >= 0)
  return values.length >= limitValuesMin && isNeverNegative ? { minimum: 0 } : {}
}

function enumOf(values: readonly unknown[]): { enum?: string[] } {
  if (values.length < limitValuesMin) return {}
  const sightings = new Map<string, number>()
  for (const value of values) {
    if (typeof value !== 'string' || value.length > enumCharactersMax) return {}
    sightings.set(value, (sightings.get(value) ?? 0) + 1)
    if (sightings.size > enumValuesMax) return {}
  }
  const isEachUsual = [...sightings.values()].every((count) => count >= enumSightingsMin)
  return isEachUsual ? { enum: [...sightings.keys()].toSorted() } : {}
}

function itemsOf(name: string, lists: readonly unknown[], depth: number): { items?: PropertyRule } {
  if (depth >= depthMax) return {}
  const elements = lists.flatMap((list) => (Array.isArray(list) ? list.slice(0, elementsMax) : []))
  const known = elements.filter((element) => element !== null)
  if (known.length === 0) return {}
  const rule = inferRule(name, known, depth + 1)
  return rule === null ? {} : { items: rule }
}

function membersOf(
  objects: readonly unknown[],
  depth: number,
): { properties?: Record<string, PropertyRule> } {
  if (depth >= depthMax) return {}
  const { properties } = inferMembers(objects.filter(isRecord), depth + 1)
  return Object.keys(properties).length === 0 ? {} : { properties }
}
