import {
  type Compatibility,
  type EventContract,
  isCompatibleChange,
  type PropertyRule,
} from '@assay/contract'
import { canonicalJson } from '../codegen/registry-hash.ts'

/** `major-minor-patch` as numbers. */
export type Version = readonly [major: number, minor: number, patch: number]

export const firstVersion: Version = [1, 0, 0]

/** Text that the route's pattern let through; anything else would be a bug. */
export function readVersion(text: string): Version {
  const match = /^(\d+)-(\d+)-(\d+)$/.exec(text)
  if (match === null) throw new Error(`not a version: ${text}`)
  return [Number(match[1]), Number(match[2]), Number(match[3])]
}

export function writeVersion(version: Version): string {
  return version.join('-')
}

export function compareVersions(left: Version, right: Version): number {
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2]
}

/** How far a change goes: it breaks senders, it changes the shape without that, or it changes words only. */
type Change = 'breaking' | 'shape' | 'texts' | 'none'

export function changeBetween(older: EventContract, newer: EventContract): Change {
  if (!isCompatibleChange(older, newer).compatible) return 'breaking'
  if (canonicalJson(shapeOf(older)) !== canonicalJson(shapeOf(newer))) return 'shape'
  return canonicalJson(wordsOf(older)) === canonicalJson(wordsOf(newer)) ? 'none' : 'texts'
}

/** The version that may follow, by what changed. */
export function bump([major, minor, patch]: Version, change: Change): Version {
  if (change === 'breaking') return [major + 1, 0, 0]
  return change === 'shape' ? [major, minor + 1, 0] : [major, minor, patch + 1]
}

/**
 * The next version after all of these. Each is bumped by what changed since it, and the highest result is right with
 * regard to every one: it follows them all, and breaks only under a new major number.
 */
export function nextVersion(before: readonly EventContract[], draft: EventContract): Version {
  const [first = firstVersion, ...others] = before.map((older) =>
    bump(readVersion(older.version), changeBetween(older, draft)),
  )
  return others.reduce((highest, each) => (compareVersions(each, highest) > 0 ? each : highest), first)
}

export const noBreaks: Compatibility = { compatible: true, breaks: [] }

/** Whether this number promises to senders of the older version that nothing breaks. */
export function promisesCompatibility(older: Version, newer: Version): boolean {
  return older[0] === newer[0]
}

function shapeOf({ properties, additional, surfaces, purpose, severities }: EventContract): object {
  return {
    properties: withoutDescriptions(properties),
    additional,
    surfaces: surfaces.toSorted(),
    purpose,
    severities: severities ?? {},
  }
}

function wordsOf({ description, owner, category, replaced_by, properties }: EventContract): object {
  return { description, owner, category, replaced_by, properties }
}

type Rules = Readonly<Record<string, PropertyRule>>

function withoutDescriptions(rules: Rules): Rules {
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, bare(rule)]))
}

function bare({ description: _, items, properties, ...rule }: PropertyRule): PropertyRule {
  return {
    ...rule,
    ...(items !== undefined && { items: bare(items) }),
    ...(properties !== undefined && { properties: withoutDescriptions(properties) }),
  }
}
