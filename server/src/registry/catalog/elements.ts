import { createHash } from 'node:crypto'
import {
  type ElementMatch,
  elementMatchesMax,
  type FieldError,
  Problem,
  type SdkConfig,
} from '@assay/contract'
import { createSharedCache, type SharedCache } from '../../platform/shared-cache.ts'
import type { Control, Sql } from '../../store/control.ts'
import { selectCurrent } from '../contracts/store.ts'
import { invalid } from '../mappings/mappings.ts'
import { registryChannel } from '../registry.ts'
import { type ElementRow, selectElements } from './element-store.ts'

/** Elements from which published events come, by workspace; in memory, since every page view asks for them. */
export type Elements = SharedCache<readonly ElementRow[]>

export function createElements(control: Control): Promise<Elements> {
  return createSharedCache(control, {
    channel: 'assay_elements',
    // An event that is no longer published is no longer watched for.
    alsoHear: [registryChannel],
    read: (workspaceId) => selectPublished(control, workspaceId),
  })
}

async function selectPublished(sql: Sql, workspaceId: string): Promise<ElementRow[]> {
  const rows = await selectElements(sql, workspaceId, null)
  const contracts = await selectCurrent(
    sql,
    workspaceId,
    rows.map(({ key }) => key),
  )
  const published = new Set(contracts.filter(({ status }) => status === 'published').map(({ key }) => key))
  return rows.filter(({ key }) => published.has(key))
}

/** The configuration of one site for the browser, with a tag that changes when it does. */
export function configOf(rows: readonly ElementRow[], siteId: string): { config: SdkConfig; etag: string } {
  const definitions = rows
    .filter(({ site_id }) => site_id === null || site_id === siteId)
    .map(({ key, match }) => ({ event: key, match }))
  const config = { site_id: siteId, definitions }
  const etag = `"${createHash('sha256').update(JSON.stringify(config)).digest('hex').slice(0, 32)}"`
  return { config, etag }
}

/** Refuses an element that could never be found, and an event that an element cannot send. */
export function requireSoundMatch(
  match: ElementMatch,
  properties: Readonly<Record<string, { required?: boolean }>>,
): void {
  const errors: FieldError[] = []
  const add = (field: string, message: string) => errors.push({ field, message })
  const needsElement = match.on !== 'view'
  if (needsElement && match.selector === undefined && match.text === undefined) {
    add('match', `needs a selector or a text: on ${match.on} is about an element`)
  }
  if (/[?#\s]|\p{Cc}/u.test(match.page)) add('match.page', 'must be a path without query, fragment or spaces')
  const problem = match.selector === undefined ? null : selectorProblem(match.selector)
  if (problem !== null) add('match.selector', problem)
  if (match.text !== undefined && (match.text.trim() === '' || /\p{Cc}/u.test(match.text))) {
    add('match.text', 'must be a text that an element can show')
  }
  const required = Object.entries(properties).filter(([, rule]) => rule.required === true)
  for (const [name] of required) {
    add(
      `properties.${name}`,
      'cannot be required: an event that comes from an element brings no such property',
    )
  }
  if (errors.length > 0) throw invalid(errors)
}

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']' }

/** The browser has the last word on CSS; this finds what no browser takes. */
export function selectorProblem(selector: string): string | null {
  if (/[{}<;]|\p{Cc}/u.test(selector))
    return 'must be one CSS selector, without { } < ; and control characters'
  const open: string[] = []
  let quote = ''
  for (let at = 0; at < selector.length; at++) {
    const character = selector.charAt(at)
    if (character === '\\') at += 1
    else if (quote !== '') quote = character === quote ? '' : quote
    else if (character === '"' || character === "'") quote = character
    else if (closers[character] !== undefined) open.push(closers[character])
    else if ((character === ')' || character === ']') && open.pop() !== character) {
      return `has a ${character} too many`
    }
  }
  if (quote !== '') return `lacks a closing ${quote}`
  return open.length > 0 ? `lacks a closing ${open.at(-1)}` : null
}

export async function requireRoomForMatch(sql: Sql, workspaceId: string, key: string): Promise<void> {
  const rows = await selectElements(sql, workspaceId, null)
  if (rows.length < elementMatchesMax || rows.some((row) => row.key === key)) return
  throw new Problem('conflict', {
    detail: `A workspace watches ${elementMatchesMax} elements at most. Take the match off another definition first.`,
  })
}
