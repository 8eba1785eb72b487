import {
  type Backfill,
  type BackfillPreview,
  dryRunEventsMax,
  overlaidEventsMax,
  Problem,
  standingBackfillsMax,
  toSnakeCase,
} from '@assay/contract'
import { Temporal } from 'temporal-polyfill'
import { pageOf } from '../../platform/page.ts'
import { createWakeUp, type WakeUpNeeds } from '../../platform/wake-up.ts'
import type { SiteRow } from '../../sites/sites.ts'
import type { SiteRule } from '../mappings/mappings.ts'
import { invalid } from '../mappings/mappings.ts'
import {
  countRepeatedOrders,
  insertOverlayRows,
  type OverlayRow,
  selectSentNames,
  selectStoredPage,
} from './overlay-store.ts'
import { BackfillRunner, forgetDryRun, type RunnerOptions, rangeOf } from './runner.ts'
import {
  type BackfillRow,
  countStanding,
  insertBackfill,
  markWithdrawing,
  type NewBackfill,
  selectBackfill,
  selectBackfills,
  selectDone,
} from './store.ts'
import { addCounts, judgeStored, passes, toOverlayRow, toSample } from './validation.ts'

export type Backfills = {
  start: (site: SiteRow, rule: SiteRule, range: BackfillRange) => Promise<Backfill>
  /** What it would do; nothing is left of it. */
  preview: (site: SiteRow, rule: SiteRule, range: BackfillRange) => Promise<Omit<BackfillPreview, 'held'>>
  list: (
    workspaceId: string,
    siteId: string,
    before: string | null,
    limit: number,
  ) => Promise<{ data: Backfill[]; nextCursor: string | null }>
  get: (workspaceId: string, id: string) => Promise<Backfill>
  withdraw: (workspaceId: string, id: string) => Promise<Backfill>
  /** Continues what an earlier run left unfinished. */
  resume: () => Promise<void>
  close: () => Promise<void>
}

type BackfillRange = { from: string; to?: string }

type BackfillOptions = RunnerOptions &
  Pick<WakeUpNeeds, 'config'> & {
    /** Resolves when what was acknowledged can be read, or with false when that takes too long. */
    flush: (timeoutMs: number) => Promise<boolean>
  }

/** Usually half a second, longer only while the store is behind. */
const flushMsMax = 10_000
/** A withdrawal takes a second or two, or continues in the background. */
const withdrawMsMax = 20_000
const samplesMax = 20
const previewPageRows = 5_000

export function createBackfills(options: BackfillOptions): Backfills {
  const { control } = options
  const runner = new BackfillRunner(options)
  const wakeUp = createWakeUp(options, 'assay_backfills', () => runner.wake())
  const runs = options.config.roles.includes('jobs')

  async function read(workspaceId: string, id: string): Promise<BackfillRow> {
    // Postgres refuses a text with this character rather than not finding it.
    const row = id.includes('\0') ? null : await selectBackfill(control, workspaceId, id)
    if (row === null) throw new Problem('not-found', { detail: 'There is no such back-fill.' })
    return row
  }

  return {
    async start(site, rule, range) {
      const planned = await plan(options, site, rule, range, 'queued')
      await requireRoom(options, site.id, planned.matched)
      const row = await insertBackfill(control, planned)
      wakeUp.ask()
      return toBackfill(row)
    },
    async preview(site, rule, range) {
      const row = await insertBackfill(control, await plan(options, site, rule, range, 'dry_run'))
      try {
        return await tryOut(options, runner, row)
      } finally {
        await forgetDryRun(control, options.events, row.id)
      }
    },
    async list(workspaceId, siteId, before, limit) {
      const rows = await selectBackfills(control, workspaceId, siteId, before, limit + 1)
      const { page, next } = pageOf(rows, limit, ({ id }) => id)
      return { data: page.map(toBackfill), nextCursor: next }
    },
    get: async (workspaceId, id) => toBackfill(await read(workspaceId, id)),
    async withdraw(workspaceId, id) {
      let row = await read(workspaceId, id)
      await markWithdrawing(control, workspaceId, id)
      wakeUp.ask()
      const end = AbortSignal.timeout(withdrawMsMax)
      row = await read(workspaceId, id)
      while (row.status === 'withdrawing' && !end.aborted) {
        await runner.change(1_000)
        row = await read(workspaceId, id)
      }
      return toBackfill(row)
    },
    resume: async () => {
      await wakeUp.listen()
      if (runs) runner.start()
    },
    close: () => runner.close(),
  }
}

function toBackfill(row: BackfillRow): Backfill {
  const isOver = row.status === 'done' || row.matched === 0
  return {
    id: row.id,
    ...ofRule(row),
    status: row.status === 'dry_run' ? 'queued' : row.status,
    progress: isOver ? 1 : Math.min(1, row.judged / row.matched),
    ...countsOf(row),
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  }
}

function ofRule(row: NewBackfill) {
  return {
    mappingId: row.mapping_id,
    siteId: row.site_id,
    source: row.source,
    target: row.target,
    propertyMap: row.property_map,
    from: row.from_at.toISOString(),
    to: row.to_at.toISOString(),
  }
}

function countsOf({ matched, events, renamed, refused, codes }: Omit<BackfillRow, 'judged'>) {
  return { matched, events, renamed, refused, codes }
}

/** The rule and the range as they are now, and how many events that is about. */
async function plan(
  { events, registry, flush, now, newId }: BackfillOptions,
  site: SiteRow,
  rule: SiteRule,
  { from, to }: BackfillRange,
  status: 'queued' | 'dry_run',
): Promise<NewBackfill> {
  const { row } = rule
  requireActing(rule, await registry.knowledge(site.workspace_id, site.id))
  const range = readRange(from, to, site.timezone, now())
  if (!(await flush(flushMsMax))) {
    throw new Problem('unavailable', {
      detail: 'The events store is behind, and what it has not loaded yet would be missed. Try again later.',
      headers: { 'retry-after': '5' },
    })
  }
  const scope = { workspaceId: site.workspace_id, siteId: site.id, ...range }
  const names = await selectSentNames(events, scope)
  const meant = names.filter(({ sent_name }) => toSnakeCase(sent_name) === row.source_key)
  return {
    id: newId('bfl'),
    workspace_id: site.workspace_id,
    site_id: site.id,
    mapping_id: row.id,
    source: row.source,
    target: row.target,
    property_map: row.property_map,
    from_at: new Date(range.fromMs),
    to_at: new Date(range.toMs),
    status,
    sent_names: meant.map(({ sent_name }) => sent_name),
    matched: meant.reduce((sum, each) => sum + Number(each.events), 0),
    created_at: new Date(now()),
  }
}

type Acting = Pick<Awaited<ReturnType<RunnerOptions['registry']['knowledge']>>, 'mapping' | 'contracts'>

/** Stored events are read by the rules that apply today, so a disabled rule cannot be back-filled. */
function requireActing({ row }: SiteRule, { mapping, contracts }: Acting): void {
  const own = mapping.custom.get(row.source_key)?.rule.id
  if (own === row.id) return
  const isDefault = mapping.standard.get(row.source_key)?.rule.id === row.id
  const hasContract = contracts.get(row.source_key)?.isInForce === true
  if (isDefault && own === undefined && !hasContract) return
  const reason = !row.is_enabled
    ? 'it is disabled'
    : own !== undefined
      ? `rule ${own} of this site has the same source`
      : `the contract ${row.source_key} outranks a default rule`
  throw new Problem('conflict', { detail: `The rule does not act on new events, since ${reason}.` })
}

async function requireRoom({ control }: BackfillOptions, siteId: string, matched: number): Promise<void> {
  const standing = await countStanding(control, siteId)
  if (standing.backfills >= standingBackfillsMax) {
    throw new Problem('conflict', {
      detail: `A site has ${standingBackfillsMax} back-fills at most. Withdraw one that is no longer needed.`,
    })
  }
  if (standing.events + matched <= overlaidEventsMax) return
  throw new Problem('conflict', {
    detail: `Back-fills of a site are about ${overlaidEventsMax} events at most; these would be ${standing.events + matched}. Choose a shorter range, or withdraw one.`,
  })
}

/** A plain date begins at midnight in the site's zone, and as the end is included. What is not yet cannot be read. */
function readRange(
  from: string,
  to: string | undefined,
  timezone: string,
  nowMs: number,
): { fromMs: number; toMs: number } {
  const fromMs = readMoment('from', from, timezone, 0)
  const toMs = Math.min(to === undefined ? nowMs + 1 : readMoment('to', to, timezone, 1), nowMs + 1)
  if (fromMs >= toMs) throw invalid([{ field: 'from', message: 'must be before to, and not in the future' }])
  return { fromMs, toMs }
}

function readMoment(field: string, text: string, timezone: string, daysLater: number): number {
  try {
    if (/^\d{4}-\d\d-\d\d$/.test(text)) {
      const day = Temporal.PlainDate.from(text).add({ days: daysLater })
      return day.toZonedDateTime(timezone).epochMilliseconds
    }
    return Math.max(0, Temporal.Instant.from(text).epochMilliseconds)
  } catch {
    throw invalid([{ field, message: 'must be a time such as 2026-03-01T00:00:00Z, or a date' }])
  }
}

/** All that a dry run writes down: which orders would be touched. */
function isAboutOrder({ order_id, stored_order_id }: OverlayRow): boolean {
  return order_id !== '' || stored_order_id !== ''
}

function withoutTexts(row: OverlayRow): OverlayRow {
  return { ...row, properties: '', set_aside: '', issues: '' }
}

/** The same pages through the same gate, into rows that no read goes by. */
async function tryOut(
  { control, events }: BackfillOptions,
  runner: BackfillRunner,
  row: BackfillRow,
): Promise<Omit<BackfillPreview, 'held'>> {
  const gate = await runner.gateFor(row)
  let counts = addCounts(row, [])
  let after = { ms: 0, eventId: '' }
  const refused: BackfillPreview['samples'] = []
  const passed: BackfillPreview['samples'] = []
  while (counts.judged < Math.min(row.matched, dryRunEventsMax)) {
    const limit = Math.min(previewPageRows, dryRunEventsMax - counts.judged)
    const page = await selectStoredPage(events, rangeOf(row), row.sent_names, after, limit)
    const last = page.at(-1)
    if (last === undefined) break
    after = { ms: Number(last.ms), eventId: last.event_id }
    const judged = await judgeStored(page, gate)
    const rows = judged.filter(passes).map((one) => toOverlayRow(row, one))
    await insertOverlayRows(events, rows.filter(isAboutOrder).map(withoutTexts))
    counts = addCounts(counts, judged)
    for (const one of judged) {
      const samples = passes(one) ? passed : refused
      if (samples.length < samplesMax) samples.push(toSample(one))
    }
  }
  const backfillIds = [...(await selectDone(control, row.site_id)), row.id]
  const standing = { workspaceId: row.workspace_id, siteId: row.site_id, backfillIds }
  const repeatedOrders = await countRepeatedOrders(events, standing, row.id)
  return {
    dryRun: true,
    ...ofRule(row),
    ...countsOf({ ...row, ...counts }),
    judged: counts.judged,
    repeatedOrders,
    samples: [...refused, ...passed].slice(0, samplesMax),
  }
}
