import { createHash } from 'node:crypto'
import type { ErrorState } from '@assay/contract'
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

/** One or, by rules, several fingerprints under one name. */
export type Group = Omit<Fingerprint, 'key'> & { id: string; name: string; keys: readonly string[] }

export function groupsOf(fingerprints: readonly Fingerprint[], rules: readonly RuleRow[]): Group[] {
  const groups = new Map<string, Group>()
  for (const one of fingerprints) {
    const rule = rules.find(({ match }) => isMatch(one, match))
    const id = rule === undefined ? `err_${one.key}` : groupIdOf(rule.error_group)
    const known = groups.get(id)
    const { key, ...facts } = one
    groups.set(id, {
      ...(known !== undefined && known.lastMs >= one.lastMs ? known : facts),
      id,
      name: rule?.error_group ?? nameOf(one),
      keys: [...(known?.keys ?? []), key],
      firstMs: Math.min(known?.firstMs ?? one.firstMs, one.firstMs),
      lastMs: Math.max(known?.lastMs ?? one.lastMs, one.lastMs),
    })
  }
  return [...groups.values()]
}

/** As long as the id of a fingerprint. */
const idCharacters = 16

/** Rules of the same name make one group. */
function groupIdOf(name: string): string {
  return `err_${createHash('sha256').update(`rule ${name}`).digest('hex').slice(0, idCharacters)}`
}

function nameOf({ type, title }: Fingerprint): string {
  const said = title === '' ? 'Unknown error' : title
  return type === '' || said.startsWith(type) ? said : `${type}: ${said}`
}

export function isMatch(one: Fingerprint, match: RuleRow['match']): boolean {
  const parts = (['type', 'title', 'culprit'] as const).filter((part) => match[part] !== undefined)
  return parts.length > 0 && parts.every((part) => globFits(match[part] ?? '', one[part]))
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
  group: Pick<Group, 'id' | 'lastMs'>,
  states: ReadonlyMap<string, StateRow>,
): ErrorState {
  const said = states.get(group.id)
  if (said === undefined) return 'open'
  return said.state === 'resolved' && group.lastMs > said.changed_at.getTime() ? 'regressed' : said.state
}
