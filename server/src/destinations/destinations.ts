import {
  type createDestination,
  type Destination,
  destinationLimits,
  type Input,
  type NoticeType,
  Problem,
  type updateDestination,
} from '@assay/contract'
import type { Clock, NewId } from '../platform/clock.ts'
import type { Vault } from '../platform/secrets/vault.ts'
import { hourMs } from '../platform/units.ts'
import type { Control } from '../store/control.ts'
import { countDispatches, type Waiting } from './dispatch-store.ts'
import { makeSecret, rotated, type SigningSecret, validAt } from './signature.ts'
import {
  type DestinationRow,
  insertDestination,
  removeDestination,
  selectDestinations,
  updateDestinationRow,
} from './store.ts'

export type Target = Omit<DestinationRow, 'secrets'> & { secrets: readonly SigningSecret[] }

export type Destinations = {
  /** Those of a workspace that take anything now. */
  activeOf: (workspaceId: string) => readonly Target[]
  /** Whether any workspace has one, so that others skip the look-up. */
  hasAny: () => boolean
  /** Workspaces with a destination for notices of this type, so that others skip the work. */
  wanting: (type: NoticeType) => readonly string[]
  find: (id: string) => Target | undefined
  own: (workspaceId: string, id: string) => Promise<Target>
  list: (workspaceId: string) => Promise<readonly Target[]>
  create: (workspaceId: string, wanted: Input<typeof createDestination>['body']) => Promise<Target>
  update: (target: Target, wanted: Input<typeof updateDestination>['body']) => Promise<Target>
  rotate: (target: Target, keepPreviousHours: number) => Promise<Target>
  remove: (target: Target) => Promise<void>
  /** Call after a row was changed elsewhere. */
  changed: (workspaceId: string) => Promise<void>
  forget: (workspaceId: string) => void
  show: (workspaceId: string, targets: readonly Target[]) => Promise<Destination[]>
}

type DestinationOptions = { control: Control; vault: Vault; now: Clock; newId: NewId }

const channel = 'assay_destinations'

/** All of them are in memory, some twenty a workspace at most; a change is read again on every node. */
export async function createDestinations(options: DestinationOptions): Promise<Destinations> {
  const { control, now, newId, vault } = options
  const known = await rememberAll(options)
  const save = async (target: Target): Promise<Target> => {
    await updateDestinationRow(control, { ...target, secrets: seal(vault, target.id, target.secrets) })
    await known.changed(target.workspace_id)
    return target
  }

  return {
    activeOf: (workspaceId) => known.of(workspaceId).filter((target) => target.status === 'active'),
    hasAny: () => known.all.size > 0,
    wanting: (type) =>
      [...known.all]
        .filter(([, targets]) =>
          targets.some(({ status, notices }) => status === 'active' && notices.includes(type)),
        )
        .map(([workspaceId]) => workspaceId),
    find: (id) => [...known.all.values()].flat().find((target) => target.id === id),
    async own(workspaceId, id) {
      const found = (await known.read(workspaceId)).find((target) => target.id === id)
      if (found !== undefined) return found
      throw new Problem('not-found', { detail: 'There is no such destination.' })
    },
    list: known.read,
    async create(workspaceId, wanted) {
      const target = newTarget(newId('dst'), workspaceId, wanted, now())
      const row = { ...target, secrets: seal(vault, target.id, target.secrets) }
      if (!(await insertDestination(control, row, destinationLimits.destinationsMax))) {
        const most = destinationLimits.destinationsMax
        throw new Problem('conflict', {
          detail: `There are ${most} destinations already. Delete one that is not used.`,
        })
      }
      await known.changed(workspaceId)
      return target
    },
    update: (target, { url, ...wanted }) =>
      save({
        ...target,
        ...definedOf(wanted),
        ...(url !== undefined && { url: readUrl(url) }),
        ...(wanted.status === 'active' && { failing_since: null }),
      }),
    rotate: (target, keepPreviousHours) =>
      save({ ...target, secrets: rotated(target.secrets, makeSecret(), now(), keepPreviousHours * hourMs) }),
    async remove(target) {
      await removeDestination(control, target.id)
      await known.changed(target.workspace_id)
    },
    changed: known.changed,
    forget(workspaceId) {
      known.all.delete(workspaceId)
      // A deleted workspace has no destinations, an imported one brings its own.
      void known.read(workspaceId).catch(() => {})
    },
    async show(workspaceId, targets) {
      const counts = await countDispatches(control, workspaceId)
      return targets.map((target) => toDestination(target, counts, now()))
    },
  }
}

async function rememberAll({ control, vault }: DestinationOptions) {
  // bounded: by the workspaces of the control store that have any, destinationsMax each, all needed for a notice.
  const all = new Map<string, readonly Target[]>()
  const open = (row: DestinationRow): Target => ({ ...row, secrets: unseal(vault, row) })

  async function read(workspaceId: string): Promise<readonly Target[]> {
    const targets = (await selectDestinations(control, workspaceId)).map(open)
    if (targets.length === 0) all.delete(workspaceId)
    else all.set(workspaceId, targets)
    return targets
  }
  async function readAll(): Promise<void> {
    const rows = (await selectDestinations(control, null)).map(open)
    all.clear()
    for (const [workspaceId, targets] of Map.groupBy(rows, (one) => one.workspace_id)) {
      all.set(workspaceId, targets)
    }
  }
  // A reading that fails leaves what was known; the next change or the next start reads again.
  const hear = (workspaceId: string) => void read(workspaceId).catch(() => {})
  await control.listen(channel, hear, () => void readAll().catch(() => {}))
  await readAll()
  return {
    all,
    of: (workspaceId: string) => all.get(workspaceId) ?? [],
    read,
    async changed(workspaceId: string): Promise<void> {
      await read(workspaceId)
      await control.notify(channel, workspaceId)
    },
  }
}

function newTarget(
  id: string,
  workspaceId: string,
  wanted: Input<typeof createDestination>['body'],
  nowMs: number,
): Target {
  return {
    id,
    workspace_id: workspaceId,
    site_id: wanted.site_id ?? null,
    name: wanted.name,
    url: readUrl(wanted.url),
    events: [...(wanted.events ?? [])],
    purposes: [...(wanted.purposes ?? [])],
    notices: [...(wanted.notices ?? [])],
    status: 'active',
    secrets: [{ secret: makeSecret(), untilMs: null }],
    failing_since: null,
    created_at: new Date(nowMs),
  }
}

type Changes = Partial<Pick<Target, 'name' | 'site_id' | 'events' | 'purposes' | 'notices' | 'status'>>

/** Only the members that are set: the others keep their value. */
function definedOf({
  name,
  site_id,
  events,
  purposes,
  notices,
  status,
}: Input<typeof updateDestination>['body']) {
  const changes: Changes = {}
  if (name !== undefined) changes.name = name
  if (site_id !== undefined) changes.site_id = site_id
  if (events !== undefined) changes.events = [...events]
  if (purposes !== undefined) changes.purposes = [...purposes]
  if (notices !== undefined) changes.notices = [...notices]
  if (status !== undefined) changes.status = status
  return changes
}

/** Refuses a URL with user name and password, which would end up in logs. */
export function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url !== null && url.username === '' && url.password === '') return url.href
  const message = 'must be an address such as https://example.com/hook, without a login in it'
  throw new Problem('invalid-parameter', { detail: `url ${message}.`, errors: [{ field: 'url', message }] })
}

const aboutSecret = (id: string) => `destination ${id}`

function seal(vault: Vault, id: string, secrets: readonly SigningSecret[]): string {
  return vault.seal(JSON.stringify(secrets), aboutSecret(id))
}

/** Empty if they were encrypted with a key that this installation does not have: a rotation fixes that. */
function unseal(vault: Vault, { id, secrets }: DestinationRow): readonly SigningSecret[] {
  const text = vault.unseal(secrets, aboutSecret(id))
  // Boundary: only ever written by `seal`.
  return text === null ? [] : (JSON.parse(text) as SigningSecret[])
}

function toDestination(target: Target, counts: readonly Waiting[], nowMs: number): Destination {
  const { id, name, url, site_id, events, purposes, notices, status, failing_since, created_at } = target
  const waiting = counts.find(({ destination_id }) => destination_id === id)
  return {
    id,
    name,
    url,
    site_id,
    events,
    purposes,
    notices,
    status,
    secrets_in_force: validAt(target.secrets, nowMs).length,
    pending: waiting?.pending ?? 0,
    dead: waiting?.dead ?? 0,
    failing_since: failing_since?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }
}
