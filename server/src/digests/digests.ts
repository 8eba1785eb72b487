import {
  type createDigest,
  type Digest,
  type DigestRecipient,
  digestLimits,
  type Input,
  invalidParameter,
  isEmail,
  Problem,
  type updateDigest,
} from '@assay/contract'
import { requireBoard } from '../boards/boards.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import { requireSoundNarrowing } from '../reports/questions.ts'
import type { RequireSite } from '../sites/sites.ts'
import type { Control, Sql } from '../store/control.ts'
import { savedLookup } from '../store/saved/saved-lookup.ts'
import { deletePending } from './sending/delivery-store.ts'
import { nextDue } from './sending/schedule.ts'
import {
  type DigestRow,
  deleteDigestRow,
  insertDigest,
  lockDigest,
  selectDigest,
  updateDigestRow,
} from './store.ts'
import {
  deleteRecipientsBut,
  insertRecipients,
  type RecipientRow,
  selectRecipients,
} from './subscriptions/recipient-store.ts'

export type DigestWorld = { control: Control; now: Clock; newId: NewId; requireSite: RequireSite }
type DigestBody = Input<typeof createDigest>['body'] & { owner: string }
type Change = Input<typeof updateDigest>['body']

const savedDigest = savedLookup<DigestRow>('dig', 'digest', { one: selectDigest, remove: deleteDigestRow })
const noDigest = savedDigest.missing
export const { require: requireDigest, remove: removeDigest } = savedDigest

export async function addDigest(
  world: DigestWorld,
  workspaceId: string,
  wanted: DigestBody,
): Promise<Digest> {
  const { control, now, newId, requireSite } = world
  const { siteId, type, owner, narrowing = {}, frequency = 'weekly', weekday = 1, hour = 8 } = wanted
  const { timezone } = await requireSite(workspaceId, siteId)
  const targetId = type === 'overview' ? null : (wanted.targetId ?? '')
  await requireTarget(world, workspaceId, siteId, targetId)
  requireSoundNarrowing(narrowing, now)
  const emails = readRecipients(wanted.recipients)
  const at = new Date(now())
  const row: DigestRow = {
    workspace_id: workspaceId,
    id: newId('dig'),
    site_id: siteId,
    type,
    target_id: targetId,
    narrowing,
    frequency,
    weekday,
    hour,
    is_paused: wanted.isPaused ?? false,
    timezone,
    next_at: new Date(nextDue({ frequency, weekday, hour }, timezone, at.getTime()).atMs),
    owner,
    created_at: at,
    updated_at: at,
  }
  return control.transaction(async (sql) => {
    const { digestsMax } = digestLimits
    if (!(await insertDigest(sql, row, digestsMax))) {
      throw new Problem('conflict', { detail: `A site has ${digestsMax} digests at most. Delete one first.` })
    }
    await setRecipients(sql, world, row, emails)
    return toDigest(row, await selectRecipients(sql, workspaceId, [row.id]))
  })
}

export async function changeDigest(
  world: DigestWorld,
  workspaceId: string,
  id: string,
  change: Change,
): Promise<Digest> {
  const { control, now } = world
  const { site_id } = await requireDigest(control, workspaceId, id)
  const { timezone } = await world.requireSite(workspaceId, site_id)
  if (change.narrowing !== undefined) requireSoundNarrowing(change.narrowing, now)
  const emails = change.recipients === undefined ? null : readRecipients(change.recipients)
  return control.transaction(async (sql) => {
    const row = await lockDigest(sql, workspaceId, id)
    if (row === null) throw noDigest()
    const changed = changedRow(row, change, timezone, now())
    await updateDigestRow(sql, changed)
    // What waits to be sent again is over: a paused digest sends nothing, and one that is resumed nothing old.
    if (changed.is_paused) await deletePending(sql, { workspaceId, digestId: id })
    if (emails !== null) await setRecipients(sql, world, changed, emails)
    return toDigest(changed, await selectRecipients(sql, workspaceId, [id]))
  })
}

function changedRow(row: DigestRow, change: Change, timezone: string, nowMs: number): DigestRow {
  const changed = {
    ...row,
    narrowing: change.narrowing ?? row.narrowing,
    frequency: change.frequency ?? row.frequency,
    weekday: change.weekday ?? row.weekday,
    hour: change.hour ?? row.hour,
    is_paused: change.isPaused ?? row.is_paused,
    updated_at: new Date(nowMs),
  }
  const isTimeKept =
    changed.frequency === row.frequency &&
    changed.weekday === row.weekday &&
    changed.hour === row.hour &&
    changed.is_paused === row.is_paused
  // Of one whose time is not changed, a time that has passed a moment ago is still to be served.
  if (isTimeKept) return changed
  return { ...changed, timezone, next_at: new Date(nextDue(changed, timezone, nowMs).atMs) }
}

async function requireTarget(
  world: DigestWorld,
  workspaceId: string,
  siteId: string,
  targetId: string | null,
): Promise<void> {
  if (targetId === null) return
  const board = await requireBoard(world, workspaceId, targetId)
  if (board.siteId !== siteId) throw invalidParameter('targetId', 'must be a board of the site')
}

/** Each once, as addresses are compared. */
function readRecipients(recipients: readonly string[]): string[] {
  const emails = recipients.map((text, index) => {
    const email = text.trim().toLowerCase()
    if (!isEmail(email)) throw invalidParameter(`recipients[${index}]`, 'must be an email address')
    return email
  })
  return [...new Set(emails)]
}

async function setRecipients(
  sql: Sql,
  { now, newId }: DigestWorld,
  { workspace_id: workspaceId, id: digestId }: DigestRow,
  emails: readonly string[],
): Promise<void> {
  await deleteRecipientsBut(sql, workspaceId, digestId, emails)
  const added = emails.map((email) => ({ id: newId('dgr'), email }))
  await insertRecipients(sql, { workspaceId, digestId, at: new Date(now()) }, added)
  const { knownRecipientsMax } = digestLimits
  const known = await selectRecipients(sql, workspaceId, [digestId])
  if (known.length <= knownRecipientsMax) return
  throw new Problem('conflict', {
    detail: `A digest knows ${knownRecipientsMax} addresses at most, with those who unsubscribed.`,
  })
}

export function toDigest(row: DigestRow, recipients: readonly RecipientRow[]): Digest {
  const own = recipients.filter(({ digest_id }) => digest_id === row.id)
  const sent = own.flatMap(({ last_sent_at }) => last_sent_at ?? []).map((at) => at.getTime())
  const failed = own.find(({ is_active, last_error }) => is_active && last_error !== null)
  return {
    id: row.id,
    siteId: row.site_id,
    type: row.type,
    targetId: row.target_id,
    narrowing: row.narrowing,
    frequency: row.frequency,
    weekday: row.weekday,
    hour: row.hour,
    recipients: own.map(toRecipient),
    isPaused: row.is_paused,
    nextAt: row.is_paused ? null : row.next_at.toISOString(),
    lastSentAt: sent.length === 0 ? null : new Date(Math.max(...sent)).toISOString(),
    lastError: failed?.last_error ?? null,
    owner: row.owner,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

function toRecipient({ email, is_active, last_sent_at, last_error }: RecipientRow): DigestRecipient {
  return {
    email,
    state: is_active ? 'active' : 'unsubscribed',
    lastSentAt: last_sent_at?.toISOString() ?? null,
    lastError: last_error,
  }
}
