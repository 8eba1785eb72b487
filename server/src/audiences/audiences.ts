import {
  type Audience,
  type AudienceMember,
  type AudiencePreview,
  type AudienceRules,
  audienceDaysMax,
  audiencesMax,
  type Filter,
  type MemberState,
  Problem,
} from '@assay/contract'
import type { SiteGoals } from '../goals/site-goals.ts'
import type { Freshness } from '../http/fresh-read.ts'
import { ledgerSeq } from '../identity/ledger/position.ts'
import type { People } from '../identity/people.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import { forEachItem, type ItemFailure } from '../platform/items.ts'
import { pageOf } from '../platform/page.ts'
import type { Overlays } from '../registry/backfills/overlays.ts'
import { layersOf, type Superseded } from '../registry/backfills/superseded-sites.ts'
import { midnightBefore } from '../sites/calendar.ts'
import { moneyOf, type Rates } from '../sites/exchange-rates.ts'
import type { SiteRow, Sites } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import { locks } from '../store/locks.ts'
import { audienceFilter, readAudienceFilters, requireKnownGoals } from './audience-filter.ts'
import {
  countMembers,
  deleteMembers,
  type MemberRow,
  refreshMembers,
  type Selected,
  selectMembers,
  selectPreview,
} from './member-store.ts'
import { compileRule } from './rule-store.ts'
import { readRules } from './rules.ts'
import { setParams } from './sets.ts'
import {
  type AudienceRow,
  countAudiences,
  deleteAudienceRow,
  insertAudience,
  selectAudience,
  selectDueAudiences,
  updateAudienceRow,
  updateRefreshAfter,
  updateRefreshed,
} from './store.ts'

export type AudienceWorld = {
  control: Control
  events: Events
  sites: Sites
  rates: Rates
  overlays: Overlays
  superseded: Pick<Superseded, 'of'>
  people: People
  siteGoals: Pick<SiteGoals, 'of'>
  freshness: Pick<Freshness, 'of'>
  now: Clock
  newId: NewId
}

/** People in a preview, to look at. */
const sampleRows = 20
/** Who joins or leaves shows up within this time; an audience that takes long to count is counted less often. */
const refreshMs = 10 * 60_000
/** A refresh may take one part in fifty of the time at most, all audiences of a product together share one engine. */
const refreshShare = 50
/** Audiences that one turn of the schedule looks at. */
const duePerTurn = 20

/** Who is in it: people who fit the rules and the filters. */
type Definition = { rules: AudienceRules; filters: readonly Filter[] }
type NewAudience = Definition & { name: string; description: string }

async function requireSound(
  world: AudienceWorld,
  site: SiteRow,
  { rules, filters }: Definition,
): Promise<void> {
  readRules(rules)
  await requireKnownGoals(world, site, readAudienceFilters(filters))
}

export async function createAudience(
  world: AudienceWorld,
  site: SiteRow,
  wanted: NewAudience,
): Promise<AudienceRow> {
  await requireSound(world, site, wanted)
  const { control, now, newId } = world
  if ((await countAudiences(control, site.workspace_id, site.id)) >= audiencesMax) {
    throw new Problem('conflict', { detail: `A site has ${audiencesMax} audiences at most.` })
  }
  const at = new Date(now())
  const row: AudienceRow = {
    workspace_id: site.workspace_id,
    id: newId('aud'),
    site_id: site.id,
    ...wanted,
    status: 'active',
    size: 0,
    size_at: at,
    data_until: null,
    ledger_seq: 0,
    created_at: at,
    updated_at: at,
  }
  if (!(await insertAudience(control, row))) throw nameTaken(wanted.name)
  return refreshAudience(world, row)
}

function nameTaken(name: string): Problem {
  return new Problem('conflict', {
    detail: `The site has an audience called ${JSON.stringify(name)} already.`,
  })
}

export async function changeAudience(
  world: AudienceWorld,
  site: SiteRow,
  row: AudienceRow,
  change: Partial<Pick<Audience, 'name' | 'description' | 'status' | 'rules' | 'filters'>>,
): Promise<AudienceRow> {
  const changed = { ...row, ...change, updated_at: new Date(world.now()) }
  const isOfOthers = change.rules !== undefined || change.filters !== undefined
  if (isOfOthers) await requireSound(world, site, changed)
  if (!(await updateAudienceRow(world.control, changed))) throw nameTaken(changed.name)
  return isOfOthers ? refreshAudience(world, changed) : changed
}

export async function removeAudience(world: AudienceWorld, workspaceId: string, id: string): Promise<void> {
  if (!(await deleteAudienceRow(world.control, workspaceId, id))) throw noAudience()
  await deleteMembers(world.events, workspaceId, id)
}

export async function requireAudience(
  control: Control,
  workspaceId: string,
  id: string,
): Promise<AudienceRow> {
  const row = id.includes('\0') ? null : await selectAudience(control, workspaceId, id)
  if (row === null) throw noAudience()
  return row
}

export function noAudience(): Problem {
  return new Problem('not-found', { detail: 'There is no such audience.' })
}

export async function previewAudience(
  world: AudienceWorld,
  site: SiteRow,
  wanted: Definition,
): Promise<AudiencePreview> {
  await requireSound(world, site, wanted)
  const found = await runRule(world, site, wanted, (selected) =>
    selectPreview(world.events, selected, sampleRows),
  )
  return { dryRun: true, siteId: site.id, ...found }
}

/** Counts the members again. A concurrent caller on another node waits and finds nothing changed. */
export async function refreshAudience(world: AudienceWorld, row: AudienceRow): Promise<AudienceRow> {
  const { control, events, sites, people, now } = world
  const site = await sites.own(row.workspace_id, row.site_id)
  if (site === null) return row
  const startedMs = now()
  const dataUntil = new Date(world.freshness.of(row.workspace_id).dataUntilMs)
  const seq = await ledgerSeq(control, row.workspace_id)
  const scope = {
    workspaceId: row.workspace_id,
    audienceId: row.id,
    hasMerges: await people.mapping.isUsed(row.workspace_id),
  }
  await control.exclusively(locks.refreshOfAudiences, () =>
    runRule(world, site, row, (selected) =>
      refreshMembers(events, row.id, selected, Math.max(startedMs, row.size_at.getTime() + 1)),
    ),
  )
  const size = await countMembers(events, scope)
  const sizeAt = new Date(Math.max(startedMs, row.size_at.getTime() + 1))
  const pauseMs = Math.max(refreshMs, (now() - startedMs) * refreshShare)
  const refreshAfter = new Date(now() + pauseMs)
  await updateRefreshed(control, row, { size, sizeAt, dataUntil, ledgerSeq: seq, refreshAfter })
  return { ...row, size, size_at: sizeAt, data_until: dataUntil, ledger_seq: seq }
}

/** One turn of the schedule: those that are due. One that cannot be counted has its next turn as late as the others. */
export async function refreshDue(world: AudienceWorld, onFailure: ItemFailure): Promise<number> {
  const { control, now } = world
  const due = await selectDueAudiences(control, new Date(now()), duePerTurn)
  const postpone = (row: AudienceRow) => updateRefreshAfter(control, row, new Date(now() + refreshMs))
  await forEachItem(
    due,
    (row) => refreshAudience(world, row).catch((error) => postpone(row).then(() => Promise.reject(error))),
    onFailure,
  )
  return due.length
}

async function runRule<Result>(
  world: AudienceWorld,
  site: SiteRow,
  { rules, filters }: Definition,
  run: (selected: Selected) => Promise<Result>,
): Promise<Result> {
  const { people, rates, now } = world
  const money = await moneyOf(rates, site.workspace_id, site.currency)
  const nowMs = now()
  const since = (days: number) => midnightBefore(nowMs, days - 1, site.timezone)
  const { having, params, sets } = compileRule(readRules(rules), site.consent_regime, money, since)
  const readOverlays = {
    ...(await layersOf(world, site.workspace_id, site.id)),
    hasMerges: await people.mapping.isUsed(site.workspace_id),
  }
  const setScope = { workspaceId: site.workspace_id, regime: site.consent_regime, atMs: nowMs }
  const fromMs = since(audienceDaysMax)
  const range = { fromMs, toMs: nowMs + 1 }
  const fits = await audienceFilter(world, site, readAudienceFilters(filters), range, readOverlays)
  return run({
    workspaceId: site.workspace_id,
    siteId: site.id,
    fromMs,
    nowMs,
    readOverlays,
    having: fits === null ? having : `(${having} AND ${fits.sql})`,
    params: { ...params, ...fits?.params, ...setParams(world.control, setScope, sets) },
  })
}

export async function readMembers(
  { events, people }: Pick<AudienceWorld, 'events' | 'people'>,
  row: AudienceRow,
  state: MemberState,
  after: string,
  limit: number,
): Promise<{ data: AudienceMember[]; nextCursor: string | null }> {
  const hasMerges = await people.mapping.isUsed(row.workspace_id)
  const scope = { workspaceId: row.workspace_id, audienceId: row.id, hasMerges }
  const rows = await selectMembers(events, scope, state, after, limit + 1)
  const { page, next } = pageOf(rows, limit, ({ person_id }) => person_id)
  return {
    data: page.map(toMember),
    nextCursor: next,
  }
}

function toMember({ person_id, joined_ms, left_ms }: MemberRow): AudienceMember {
  return {
    personId: person_id,
    joinedAt: new Date(Number(joined_ms)).toISOString(),
    leftAt: left_ms === null ? null : new Date(Number(left_ms)).toISOString(),
  }
}

export function toAudience(row: AudienceRow): Audience {
  return {
    id: row.id,
    siteId: row.site_id,
    name: row.name,
    description: row.description,
    rules: row.rules,
    filters: row.filters,
    size: row.size,
    sizeAt: row.size_at.toISOString(),
    status: row.status,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
