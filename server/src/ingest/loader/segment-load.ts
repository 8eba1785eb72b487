import type { deadLetterSteps } from '@assay/contract'
import type { NewId } from '../../platform/clock.ts'
import type { Superseded } from '../../registry/backfills/superseded-sites.ts'
import type { SiteCurrencies } from '../../sites/currencies.ts'
import { requireConfirmed } from '../../store/cluster/cluster.ts'
import type { Events, FileFormat } from '../../store/events.ts'
import { readLines, type Segment, segmentOrigin } from '../wal/segment.ts'
import type { BlockWorker } from './block-worker.ts'
import { type Observer, observeStaged } from './identity-sync.ts'
import type { Load } from './load-settings.ts'
import {
  insertErrorSightings,
  insertEventIds,
  insertEvents,
  insertQuarantine,
  insertQuarantineStates,
} from './segment-store.ts'
import {
  clearStaging,
  countStaged,
  requireStaged,
  type Staged,
  selectStagedCurrencies,
  stageSegment,
} from './staged-store.ts'
import { hasRepeatedIds, insertSuperseded, selectStagedSuperseded } from './superseded-store.ts'
import { insertVerdicts, tryVerdicts } from './verdict-store.ts'

export type LoadStep = (typeof deadLetterSteps)[number]

/** After these the event itself is stored; only what is derived from it is missing. */
export const stepsAfterStorage: ReadonlySet<LoadStep> = new Set([
  'errors',
  'decisions',
  'ids',
  'currencies',
  'identity',
  'destinations',
])

/** A step of a load failed; the cause says why. */
export class LoadFailure extends Error {
  override name = 'LoadFailure'
  readonly step: LoadStep

  constructor(step: LoadStep, cause: unknown) {
    super(`${step}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.step = step
  }
}

export type LoadOptions = {
  events: Events
  /** Staging table of this node. */
  staging: string
  /**
   * Several nodes use the events store: loads check whether an id came through another node, and keep their
   * token.
   */
  isShared: boolean
  newId: NewId
  /**
   * Gets what loaded events say about people. A segment stays until that is stored, so a crash loses none of
   * it.
   */
  observer?: Observer
  /**
   * Gets the lines of each loaded segment, which stays until that is done; a segment may come more than once.
   */
  forward?: (lines: AsyncIterable<string>) => Promise<void>
  /** Gets the sites where events stopped counting because a secret sender sent the same. */
  superseded?: Pick<Superseded, 'note'>
  /** Gets the first amounts of sites. */
  currencies?: Pick<SiteCurrencies, 'isWanted' | 'take'>
}

/** Lines that are loaded together. */
type Part = {
  path: string
  format: FileFormat
  /** Identifies these lines permanently. */
  token: string
  isAgain: boolean
  /** Whether its verdicts can be counted is checked before anything is stored. */
  triesVerdicts: boolean
  lines: () => AsyncIterable<string>
  /** Null where the store has to be asked. */
  staged: Staged | null
}

/**
 * A complete segment. Verdicts come last: they have no ids, so they are counted when nothing else can be
 * refused.
 */
export async function loadSegment(
  options: LoadOptions & { blocks: BlockWorker },
  segment: Segment,
  isAgain: boolean,
): Promise<void> {
  const { events, staging, blocks } = options
  const part = { token: segment.name, isAgain, triesVerdicts: false, lines: () => readLines(segment) }
  const { lines: staged, mayRepeat } = await blocks.withBlocks(segment, (written) =>
    written === null
      ? loadRows(options, { ...part, path: segment.path, format: 'JSONEachRow', staged: null })
      : loadRows(options, { ...part, ...written, format: 'Native' }),
  )
  const count = { origin: segmentOrigin(segment.name), mayRepeat }
  await step('verdicts', () => insertVerdicts(events, staging, count))
  await step('staging', () => requireStaged(events, staging, staged))
  await step('staging', () => clearStaging(events, staging))
}

/** Also says whether an event of it may be stored from another line: of another node, or from a letter. */
type Loaded = Staged & { mayRepeat: boolean }

/**
 * Everything but the counts. The first attempt relies on the part's token. In our own engine a later attempt
 * checks the rows and must not be treated as a repeat, so it gets a new token; on a server an earlier request
 * may still be running, so it keeps the token. Staging is empty before, and contains the part after.
 */
export async function loadRows(options: LoadOptions, part: Part): Promise<Loaded> {
  const { events, staging, isShared, newId, observer, forward } = options
  await step('staging', () => stageSegment(events, staging, part.path, part.format))
  const staged = part.staged ?? (await step('staging', () => countStaged(events, staging)))
  if (part.triesVerdicts) await step('verdicts', () => tryVerdicts(events, staging))
  // A dead letter may have been loaded before, by any segment.
  const isAgain = part.isAgain || staged.letters > 0
  const token = isAgain && !isShared ? `${part.token}:${newId('try')}` : part.token
  const load: Load = {
    token,
    isAgain,
    isShared,
    hasDecisions: staged.decisions > 0,
    hasLetters: staged.letters > 0,
  }
  if (isAgain) await step('events', () => requireConfirmed(events))
  await step('events', () => insertEvents(events, staging, load))
  if (staged.errors > 0) await step('errors', () => insertErrorSightings(events, staging))
  if (staged.held > 0) await step('quarantine', () => insertQuarantine(events, staging, load))
  if (load.hasDecisions) await step('decisions', () => insertQuarantineStates(events, staging, load))
  await step('ids', () => insertEventIds(events, staging, load))
  // A secret sender may have sent the same while a letter waited, or another node may have loaded it.
  // A later attempt leaves out its own row of an id that another node has stored, so that it would find one only.
  const mayRepeat =
    staged.letters > 0 ||
    (isShared && (isAgain || (await step('ids', () => hasRepeatedIds(events, staging)))))
  if (mayRepeat || staged.contested > 0) await step('ids', () => supersede(options))
  if (staged.pricedSites.length > 0)
    await step('currencies', () => takeCurrencies(options, staged.pricedSites))
  if (observer) await step('identity', () => observeStaged(events, staging, staged, observer))
  // Nothing is sent on that may not be stored.
  await step('staging', () => requireStaged(events, staging, staged.lines))
  if (forward) await step('destinations', () => forward(part.lines()))
  return { ...staged, mayRepeat }
}

async function takeCurrencies(
  { events, staging, currencies }: LoadOptions,
  sites: readonly string[],
): Promise<void> {
  if (currencies?.isWanted(sites)) await currencies.take(await selectStagedCurrencies(events, staging))
}

/** After the ids are stored: which of two events counts is decided among all acknowledged ones. */
async function supersede({ events, staging, superseded }: LoadOptions): Promise<void> {
  const sites = await selectStagedSuperseded(events, staging)
  if (sites.length === 0) return
  await insertSuperseded(events, staging)
  for (const [workspaceId, rows] of Map.groupBy(sites, (row) => row.workspace_id)) {
    const noted = rows.map((row) => ({ siteId: row.site_id, fromMs: Number(row.from_ms) }))
    await superseded?.note(workspaceId, noted)
  }
}

export async function step<T>(name: LoadStep, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new LoadFailure(name, error)
  }
}
