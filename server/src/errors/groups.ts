import { createHash } from 'node:crypto'
import type { ErrorState } from '@assay/contract'
import { foldAgain } from '../registry/folded-error.ts'
import type { RuleRow, StateRow } from './store.ts'

/** Errors that are equal except for variable parts, as the store distinguishes them. */
export type Fingerprint = {
  /** Hexadecimal. */
  key: string
  type: string
  title: string
  culprit: string
  firstMs: number
  lastMs: number
}

/** Errors of one kind; several fingerprints if an earlier release distinguished equal ones. */
type Kind = Pick<Fingerprint, 'type' | 'title' | 'culprit'> & { fingerprints: readonly Fingerprint[] }

/** One or, by rules, several kinds under one name. */
export type Group = Omit<Fingerprint, 'key'> & {
  id: string
  name: string
  keys: readonly string[]
  /** By these it is found and what was said of it holds: its id, and those of which it came to be. */
  ids: readonly string[]
}

/** What is stored keeps the fingerprint that it was given; what now would have the same is one kind. */
export function kindsOf(fingerprints: readonly Fingerprint[]): Kind[] {
  const kinds = new Map<string, Kind & { fingerprints: Fingerprint[] }>()
  for (const one of fingerprints) {
    const { title, culprit } = foldAgain(one)
    const name = `${one.type}\n${title}\n${culprit}`
    const kind = kinds.get(name) ?? { type: one.type, title, culprit, fingerprints: [] }
    kind.fingerprints.push(one)
    kinds.set(name, kind)
  }
  return [...kinds.values()]
}

export function groupsOf(fingerprints: readonly Fingerprint[], rules: readonly RuleRow[]): Group[] {
  const groups = new Map<string, Group>()
  for (const kind of kindsOf(fingerprints)) {
    const rule = ruleOf(kind, rules)
    const ids = rule === undefined ? idsOf(kind) : [groupIdOf(rule.error_group)]
    const group = toGroup(kind, ids, rule?.error_group ?? nameOf(kind))
    const known = groups.get(group.id)
    groups.set(group.id, known === undefined ? group : together(known, group))
  }
  return [...groups.values()]
}

/** The first that takes it, as it is shown or as any of it was stored. */
export function ruleOf(kind: Kind, rules: readonly RuleRow[]): RuleRow | undefined {
  return rules.find(({ match }) => [kind, ...kind.fingerprints].some((one) => isMatch(one, match)))
}

/** Known by the one that was seen first, so that a group keeps its id when more is found to be the same. */
function idsOf({ fingerprints }: Kind): string[] {
  return fingerprints
    .toSorted((a, b) => a.firstMs - b.firstMs || (a.key < b.key ? -1 : 1))
    .map(({ key }) => `err_${key}`)
}

function toGroup(kind: Kind, ids: readonly string[], name: string): Group {
  const { fingerprints, ...facts } = kind
  return {
    ...facts,
    id: ids[0] ?? '',
    ids,
    name,
    keys: fingerprints.map(({ key }) => key),
    firstMs: fingerprints.reduce((least, { firstMs }) => Math.min(least, firstMs), Number.POSITIVE_INFINITY),
    lastMs: fingerprints.reduce((most, { lastMs }) => Math.max(most, lastMs), 0),
  }
}

/** With the values of the later one. */
function together(a: Group, b: Group): Group {
  return {
    ...(a.lastMs >= b.lastMs ? a : b),
    keys: [...a.keys, ...b.keys],
    firstMs: Math.min(a.firstMs, b.firstMs),
  }
}

/** As long as the id of a fingerprint. */
const idCharacters = 16

/** Rules of the same name make one group. */
function groupIdOf(name: string): string {
  return `err_${createHash('sha256').update(`rule ${name}`).digest('hex').slice(0, idCharacters)}`
}

function nameOf({ type, title }: Pick<Kind, 'type' | 'title'>): string {
  const said = title === '' ? 'Unknown error' : title
  return type === '' || said.startsWith(type) ? said : `${type}: ${said}`
}

function isMatch(one: Pick<Kind, 'type' | 'title' | 'culprit'>, match: RuleRow['match']): boolean {
  const parts = (['type', 'title', 'culprit'] as const).filter((part) => match[part] !== undefined)
  return parts.length > 0 && parts.every((part) => globFits(asNow(match[part] ?? ''), asNow(one[part])))
}

/** Earlier releases wrote two characters for what is one now; old rules and names keep working. */
export function asNow(text: string): string {
  return text.replaceAll('<id>', '<n>')
}

/**
 * `*` matches any characters. In one pass, since a regular expression with many of them could run forever.
 */
export function globFits(glob: string, text: string): boolean {
  const [first = '', ...rest] = glob.split('*')
  const last = rest.pop()
  if (last === undefined) return text === glob
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false
  let at = first.length
  const end = text.length - last.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

/** What was resolved and is seen again has come back; what is muted stays so. */
export function stateOf(
  group: Pick<Group, 'ids' | 'lastMs'>,
  states: ReadonlyMap<string, StateRow>,
): ErrorState {
  const [said] = group.ids
    .flatMap((id) => states.get(id) ?? [])
    .toSorted((a, b) => b.changed_at.getTime() - a.changed_at.getTime())
  if (said === undefined) return 'open'
  return said.state === 'resolved' && group.lastMs > said.changed_at.getTime() ? 'regressed' : said.state
}
