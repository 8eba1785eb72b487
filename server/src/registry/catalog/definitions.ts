import {
  type createDefinition,
  type ElementMatch,
  type EventDefinition,
  type Input,
  Problem,
} from '@assay/contract'
import type { Clock } from '../../platform/clock.ts'
import { pageOf } from '../../platform/page.ts'
import type { Control, Sql } from '../../store/control.ts'
import { toContract } from '../contracts/contracts.ts'
import { registerContract } from '../contracts/registration.ts'
import { type ContractRow, selectContracts, selectCurrent, selectExistingKeys } from '../contracts/store.ts'
import { deleteElement, type ElementRow, selectElements, upsertElement } from './element-store.ts'
import { requireRoomForMatch, requireSoundMatch } from './elements.ts'

type NewDefinition = Input<typeof createDefinition>['body']

/** A definition is a published contract, optionally with an element. */
export async function defineEvent(
  control: Control,
  now: Clock,
  workspaceId: string,
  { match, siteId, name, ...rest }: NewDefinition,
): Promise<EventDefinition> {
  requireName(name)
  const taken = await selectExistingKeys(control, workspaceId, [name])
  if (taken.length > 0) throw new Problem('conflict', { detail: `There is an event ${name} already.` })
  const draft = { ...rest, key: name, status: 'published' } as const
  const element = match === undefined ? null : { key: name, site_id: siteId ?? null, match }
  if (element !== null) {
    requireSoundMatch(element.match, rest.properties ?? {})
    await requireRoomForMatch(control, workspaceId, name)
    // The element goes first, so that a contract never stands without it; hence all refusals come before both.
    await registerContract(control, now, workspaceId, draft, true)
    await upsertElement(control, workspaceId, element)
  }
  const { row } = await registerContract(control, now, workspaceId, draft, false)
  return toDefinition(row, element)
}

export async function listDefined(
  sql: Sql,
  workspaceId: string,
  after: string | null,
  limit: number,
): Promise<{ data: EventDefinition[]; nextCursor: string | null }> {
  const rows = await selectContracts(sql, workspaceId, { after, status: null, q: null, limit: limit + 1 })
  const { page: shown, next } = pageOf(rows, limit, ({ key }) => key)
  const elements = await selectElements(
    sql,
    workspaceId,
    shown.map(({ key }) => key),
  )
  const byKey = new Map(elements.map((element) => [element.key, element]))
  const data = shown.map((row) => toDefinition(row, byKey.get(row.key) ?? null))
  return { data, nextCursor: next }
}

/** Another element, or none. */
export async function changeMatch(
  sql: Sql,
  workspaceId: string,
  key: string,
  match: ElementMatch | null,
  siteId: string | undefined,
): Promise<EventDefinition> {
  // Postgres refuses a text with this character rather than not finding it.
  const [row] = key.includes('\0') ? [] : await selectCurrent(sql, workspaceId, [key])
  if (row === undefined) throw new Problem('not-found', { detail: 'There is no such definition.' })
  if (match === null) {
    await deleteElement(sql, workspaceId, key)
    return toDefinition(row, null)
  }
  requireSoundMatch(match, row.body.properties)
  await requireRoomForMatch(sql, workspaceId, key)
  const element = { key, site_id: siteId ?? null, match }
  await upsertElement(sql, workspaceId, element)
  return toDefinition(row, element)
}

function toDefinition(row: ContractRow, element: ElementRow | null): EventDefinition {
  const contract = toContract(row)
  return {
    id: contract.key,
    name: contract.name,
    description: contract.description,
    category: contract.category ?? null,
    properties: contract.properties,
    version: contract.version,
    status: contract.status,
    match: element?.match ?? null,
    siteId: element?.site_id ?? null,
    createdAt: row.created_at.toISOString(),
  }
}

/** Custom events are lower-case snake_case, and `$` is kept for the standard ones. */
function requireName(name: string): void {
  if (name.startsWith('$')) {
    throw new Problem('reserved-name', {
      detail: 'Names that begin with $ are kept for the 18 standard events.',
    })
  }
  if (/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)) return
  throw new Problem('invalid-parameter', {
    detail: 'name must be lower-case snake_case, such as report_exported.',
    errors: [{ field: 'name', message: 'must be lower-case snake_case, such as report_exported' }],
  })
}
