import { createHash } from 'node:crypto'
import type { ErrorState } from '@assay/contract'
import { foldAgain } from '../registry/folded-error.ts'
import type { RuleRow, StateRow } from './store.ts'

/** Errors that are the same but for what changes anyway, as the store tells them apart. */
export type Fingerprint = {
  /** Hexadecimal. */
  key: string
  type: string
  title: string
  culprit: string
  firstMs: number
  lastMs: number
}

/** Errors of one kind; several fingerprints where an earlier release told apart what is the same. */
export type Kind = Omit<Fingerprint, 'key'> & { keys: readonly string[] }

/** One or, by rules, several kinds under one name. */
export type Group = Kind & {
  id: string
  name: string
  /** By these it is found and what was said of it holds: its id, and those of which it came to be. */
  ids: readonly string[]
}

/** What is stored keeps the fingerprint that it was given; what now would have the same is one kind. */
export function kindsOf(fingerprints: readonly Fingerprint[]): Kind[][] {
  const kinds = Map.groupBy(fingerprints, (one) => {
    const { title, culprit } = foldAgain(one)
    return JSON.stringify([one.type, title, culprit])
  })
  return [...kinds.values()].map((alike) => alike.map(({ key, ...facts }) => ({ ...facts, keys: [key] })))
}

export function groupsOf(fingerprints: readonly Fingerprint[], rules: readonly RuleRow[]): Group[] {
  const groups = new Map<string, Group>()
  for (const alike of kindsOf(fingerprints)) {
    const rule = ruleOf(alike, rules)
    const kind = together(alike)
    const ids = rule === undefined ? idsOf(alike) : [groupIdOf(rule.error_group)]
    const id = ids[0] ?? ''
    const known = groups.get(id)
    groups.set(id, {
      ...(known === undefined ? kind : together([known, kind])),
      id,
      ids,
      name: rule?.error_group ?? nameOf(kind),
    })
  }
  return [...groups.values()]
}

/** The first that takes any of them. */
export function ruleOf(alike: readonly Kind[], rules: readonly RuleRow[]): RuleRow | undefined {
  return rules.find(({ match }) => alike.some((one) => isMatch(one, match)))
}

/** Known by the one that was seen first, so that a group keeps its id when more is found to be the same. */
function idsOf(alike: readonly Kind[]): string[] {
  return alike
    .toSorted((a, b) => a.firstMs - b.firstMs || ((a.keys[0] ?? '') < (b.keys[0] ?? '') ? -1 : 1))
    .flatMap(({ keys }) => keys.map((key) => `err_${key}`))
}

/** As the latest of them tells. */
function together(alike: readonly Kind[]): Kind {
  const [first, ...others] = alike.toSorted((a, b) => b.lastMs - a.lastMs)
  if (first === undefined) throw new Error('a group has at least one kind')
  return {
    ...first,
    keys: [first, ...others].flatMap(({ keys }) => keys),
    firstMs: others.reduce((least, { firstMs }) => Math.min(least, firstMs), first.firstMs),
  }
}

/** As long as the id of a fingerprint. */
const idCharacters = 16

/** Rules of the same name make one group. */
function groupIdOf(name: string): string {
  return `err_${createHash('sha256').update(`rule ${name}`).digest('hex').slice(0, idCharacters)}`
}

function nameOf({ type, title }: Kind): string {
  const said = title === '' ? 'Unknown error' : title
  return type === '' || said.startsWith(type) ? said : `${type}: ${said}`
}

export function isMatch(one: Pick<Kind, 'type' | 'title' | 'culprit'>, match: RuleRow['match']): boolean {
  const parts = (['type', 'title', 'culprit'] as const).filter((part) => match[part] !== undefined)
  return parts.length > 0 && parts.every((part) => globFits(asNow(match[part] ?? ''), asNow(one[part])))
}

/** Earlier releases wrote two signs for what is one now; rules of then go on. */
function asNow(text: string): string {
  return text.replaceAll('<id>', '<n>')
}

/** `*` stands for any characters. In one pass, since a regular expression with many of them could take for ever. */
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
