import { wilsonLower } from './statistics.ts'

/** What a property looked like in some events of one name. */
export type PropertyProfile = {
  /** How many of the events had it. */
  present: number
  /** By JSON type. */
  types: Readonly<Record<string, number>>
  /** How often each value came, by its hash; null where there are too many to be a choice. */
  values: Readonly<Record<string, number>> | null
  /** Quartiles of its numbers; null where it has none. */
  quartiles: readonly [low: number, middle: number, high: number] | null
}

/** Events of one name in a time, and their properties. */
export type EventProfile = { events: number; properties: ReadonlyMap<string, PropertyProfile> }

type PropertyCode =
  | 'property_new'
  | 'property_vanished'
  | 'property_rarer'
  | 'property_type'
  | 'property_value_new'
  | 'property_values_shift'
  | 'property_number_shift'

type PropertyFinding = {
  code: PropertyCode
  property: string
  observed: number
  expected: number
  score: number
}

/** Algorithms §3.3: fewer on either side prove nothing. */
const eventsLeast = 100
const newShareLeast = 0.01
const vanishedFrom = 0.2
const vanishedTo = 0.01
/** A required property would be missed at five points; others come and go with what people do. */
const rarerLeast = 0.2
const shiftMads = 5
const scaleFactor = 100
const stabilityMost = 0.25
/** A choice has few values, and each of them was seen. */
const choicesMost = 20
/** Keeps shares of nothing out of logarithms. */
const shareLeast = 1e-4

const absent: PropertyProfile = { present: 0, types: {}, values: null, quartiles: null }

/**
 * Unusual changes of an event's properties. `older` and `newer` are two parts of the baseline: what differs
 * between them, too, varies normally and is not reported.
 */
export function judgeProperties(
  now: EventProfile,
  newer: EventProfile,
  older: EventProfile,
): PropertyFinding[] {
  const restless = new Set(compare(newer, older).map(identityOf))
  return compare(now, newer).filter(
    (finding) => !restless.has(identityOf(finding)) && compare(now, older).some(isLike(finding)),
  )
}

const identityOf = ({ code, property }: PropertyFinding) => `${code}:${property}`
const isLike = (one: PropertyFinding) => (other: PropertyFinding) => identityOf(one) === identityOf(other)

function compare(now: EventProfile, before: EventProfile): PropertyFinding[] {
  if (now.events < eventsLeast || before.events < eventsLeast) return []
  const names = new Set([...now.properties.keys(), ...before.properties.keys()])
  return [...names].sort().flatMap((property) => {
    const [is, was] = [now.properties.get(property) ?? absent, before.properties.get(property) ?? absent]
    const presence = judgePresence(is, was, now.events, before.events)
    const found = presence === null ? judgeContent(is, was) : [presence]
    return found.map((one) => ({ ...one, property }))
  })
}

type Found = Omit<PropertyFinding, 'property'>

function judgePresence(
  is: PropertyProfile,
  was: PropertyProfile,
  events: number,
  eventsBefore: number,
): Found | null {
  const [observed, expected] = [is.present / events, was.present / eventsBefore]
  const score = shareScore(observed, expected, events, eventsBefore)
  const found = (code: PropertyCode): Found => ({ code, observed, expected, score })
  if (was.present === 0 && wilsonLower(is.present, events) >= newShareLeast) return found('property_new')
  if (expected >= vanishedFrom && observed < vanishedTo) return found('property_vanished')
  const missing = wilsonLower(events - is.present, events)
  return missing > 1 - expected + rarerLeast ? found('property_rarer') : null
}

function judgeContent(is: PropertyProfile, was: PropertyProfile): Found[] {
  if (is.present < eventsLeast || was.present < eventsLeast) return []
  const type = judgeType(is, was)
  // What is of another type has other values, too.
  if (type !== null) return [type]
  // A number that was never seen is nothing special.
  const found = is.quartiles === null ? judgeValues(is, was) : judgeNumbers(is, was)
  return found === null ? [] : [found]
}

function judgeType(is: PropertyProfile, was: PropertyProfile): Found | null {
  for (const [type, count] of Object.entries(is.types)) {
    if (was.types[type] !== undefined || wilsonLower(count, is.present) < newShareLeast) continue
    const observed = count / is.present
    const score = shareScore(observed, 0, is.present, was.present)
    return { code: 'property_type', observed, expected: 0, score }
  }
  return null
}

function judgeValues(is: PropertyProfile, was: PropertyProfile): Found | null {
  if (is.values === null || was.values === null || Object.keys(was.values).length > choicesMost) return null
  const before = was.values
  const unseen = Object.entries(is.values)
    .filter(([value]) => before[value] === undefined)
    .reduce((sum, [, count]) => sum + count, 0)
  if (wilsonLower(unseen, is.present) >= newShareLeast) {
    const observed = unseen / is.present
    const score = shareScore(observed, 0, is.present, was.present)
    return { code: 'property_value_new', observed, expected: 0, score }
  }
  const { index, chance } = stability(is.values, before, is.present, was.present)
  if (index <= stabilityMost + 2 * chance) return null
  return {
    code: 'property_values_shift',
    observed: index,
    expected: 0,
    score: index / Math.max(chance, shareLeast),
  }
}

/** The population stability index of two distributions, and what chance alone makes of it. */
function stability(
  is: Readonly<Record<string, number>>,
  was: Readonly<Record<string, number>>,
  total: number,
  totalBefore: number,
): { index: number; chance: number } {
  const values = new Set([...Object.keys(is), ...Object.keys(was)])
  let index = 0
  for (const value of values) {
    const now = Math.max((is[value] ?? 0) / total, shareLeast)
    const before = Math.max((was[value] ?? 0) / totalBefore, shareLeast)
    index += (now - before) * Math.log(now / before)
  }
  return { index, chance: (values.size - 1) * (1 / total + 1 / totalBefore) }
}

/** The middle lies far outside of what was usual, or everything is a hundred times as large: cents for euros. */
function judgeNumbers(is: PropertyProfile, was: PropertyProfile): Found | null {
  if (is.quartiles === null || was.quartiles === null) return null
  const [low, expected, high] = was.quartiles
  const observed = is.quartiles[1]
  const deviation = Math.max((high - low) / 2, Math.abs(expected) * 0.02, Number.MIN_VALUE)
  const score = (observed - expected) / deviation
  const isOtherScale =
    Math.sign(observed) !== Math.sign(expected) ||
    (expected !== 0 && (observed / expected >= scaleFactor || observed / expected <= 1 / scaleFactor))
  // Of a number whose usual values reach over zero the sign says nothing.
  const isOneSided = Math.sign(low) === Math.sign(high) && low !== 0
  if (Math.abs(score) <= shiftMads && !(isOtherScale && isOneSided)) return null
  return { code: 'property_number_shift', observed, expected, score }
}

function shareScore(observed: number, expected: number, events: number, eventsBefore: number): number {
  const variance = Math.max(expected * (1 - expected), 1 / eventsBefore)
  return (observed - expected) / Math.sqrt(variance / events)
}
