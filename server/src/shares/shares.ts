import {
  type createShare,
  type Input,
  invalidParameter,
  namesTraits,
  Problem,
  type Share,
  sharedKinds,
  shareLimits,
  type updateShare,
} from '@assay/contract'
import { requireBoard } from '../boards/boards.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import { hashToken, newToken } from '../platform/secrets/tokens.ts'
import { requireSoundNarrowing } from '../reports/questions.ts'
import { requireReport } from '../reports/reports.ts'
import type { RequireSite } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import { savedLookup } from '../store/saved/saved-lookup.ts'
import { hashPassword } from './password.ts'
import { deleteShareRow, insertShare, type ShareRow, selectShare, updateShareRow } from './store.ts'

export type ShareWorld = { control: Control; now: Clock; newId: NewId; requireSite: RequireSite }
type ShareBody = Input<typeof createShare>['body']
type Change = Input<typeof updateShare>['body']

const savedShare = savedLookup<ShareRow>('shr', 'share link', { one: selectShare, remove: deleteShareRow })
const noShare = savedShare.missing
export const { require: requireShare, remove: removeShare } = savedShare

export async function addShare(
  world: ShareWorld,
  workspaceId: string,
  wanted: ShareBody & { owner: string },
): Promise<{ share: Share; token: string }> {
  const { control, now, newId } = world
  const { siteId, type, owner } = wanted
  const targetId = type === 'overview' ? null : (wanted.targetId ?? '')
  await requireTarget(world, workspaceId, siteId, type, targetId)
  const token = newToken('shr')
  const fresh: ShareRow = {
    workspace_id: workspaceId,
    id: newId('shr'),
    site_id: siteId,
    type,
    target_id: targetId,
    narrowing: {},
    password_hash: null,
    expires_at: null,
    origins: [],
    theme: 'system',
    owner,
    created_at: new Date(now()),
  }
  const row = await changed(fresh, wanted, now)
  const { sharesMax } = shareLimits
  const isMade = await control.transaction((sql) => insertShare(sql, row, hashToken(token), sharesMax))
  if (isMade) return { share: toShare(row), token }
  throw new Problem('conflict', { detail: `A site has ${sharesMax} share links at most. Revoke one first.` })
}

export async function changeShare(
  { control, now }: Pick<ShareWorld, 'control' | 'now'>,
  workspaceId: string,
  id: string,
  change: Change,
): Promise<Share> {
  const row = await changed(await requireShare(control, workspaceId, id), change, now)
  if (!(await updateShareRow(control, row))) throw noShare()
  return toShare(row)
}

async function requireTarget(
  world: ShareWorld,
  workspaceId: string,
  siteId: string,
  type: Share['type'],
  targetId: string | null,
): Promise<void> {
  if (targetId === null) return
  const target =
    type === 'board'
      ? await requireBoard(world, workspaceId, targetId)
      : toTarget(await requireReport(world.control, workspaceId, targetId))
  if (target.siteId !== siteId) throw invalidParameter('targetId', 'must be of the site')
}

const ofTraits = 'asks about traits of people, which no one without an account may see'

function toTarget({ site_id, kind, question }: { site_id: string; kind: string; question: object }): {
  siteId: string
} {
  const isShared = sharedKinds.some((one) => one === kind)
  if (!isShared)
    throw invalidParameter('targetId', `is a report of ${kind}, which may be about single people`)
  if (namesTraits(question)) throw invalidParameter('targetId', ofTraits)
  return { siteId: site_id }
}

async function changed(row: ShareRow, change: Change, now: Clock): Promise<ShareRow> {
  const { narrowing, password, expiresAt, origins, theme } = change
  if (narrowing !== undefined) requireSoundNarrowing(narrowing, now)
  if (namesTraits(narrowing)) throw invalidParameter('narrowing', ofTraits)
  return {
    ...row,
    ...(narrowing !== undefined && { narrowing }),
    ...(password !== undefined && { password_hash: password === null ? null : await hashPassword(password) }),
    ...(expiresAt !== undefined && { expires_at: expiresAt === null ? null : readExpiry(expiresAt, now) }),
    ...(origins !== undefined && { origins: origins.map(readOrigin) }),
    ...(theme !== undefined && { theme }),
  }
}

const timeShape = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d)$/
const expiryMsMax = Date.UTC(2100, 0, 1)

function readExpiry(text: string, now: Clock): Date {
  const ms = timeShape.test(text) ? Date.parse(text) : Number.NaN
  if (ms > now() && ms < expiryMsMax) return new Date(ms)
  throw invalidParameter('expiresAt', 'must be an RFC 3339 time with a zone, in the future and before 2100')
}

/** A policy is a header: nothing but scheme, host and port may get into it. */
function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isOrigin =
    url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.href === `${url.origin}/`
  if (isOrigin && /^https?:\/\/[A-Za-z0-9.:[\]-]+$/.test(url.origin)) return url.origin
  throw invalidParameter('origins', 'must be origins such as https://example.com')
}

export function toShare(row: ShareRow): Share {
  return {
    id: row.id,
    siteId: row.site_id,
    type: row.type,
    targetId: row.target_id,
    narrowing: row.narrowing,
    hasPassword: row.password_hash !== null,
    expiresAt: row.expires_at?.toISOString() ?? null,
    origins: row.origins,
    theme: row.theme,
    owner: row.owner,
    createdAt: row.created_at.toISOString(),
  }
}
