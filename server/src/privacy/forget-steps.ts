import { unlink } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { ForgetMode } from '@assay/contract'
import { countConsents, forgetConsents } from '../consent/forgetting.ts'
import type { Subjects } from '../consent/subjects.ts'
import type { People } from '../identity/people.ts'
import type { EventLog } from '../ingest/log.ts'
import type { Replays } from '../replays/replays.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import {
  anonymiseTheirs,
  countMentions,
  countTheirs,
  deleteTheirs,
  emptyMentions,
  type List,
  type PeopleTable,
  type ReplacedPart,
  removeReplacedParts,
  selectReplacedParts,
} from './erasing-store.ts'
import { archivePath } from './exporting.ts'
import {
  clearControlFiles,
  countIdentity,
  countReplays,
  deleteMemories,
  emptyAuditEntries,
  emptyExport,
  emptyPayloads,
  emptySubject,
  selectAuditEntries,
  selectMemories,
  selectPayloads,
  selectSubjectsAsked,
  type TextRow,
} from './forgetting-store.ts'
import { tellForgotten } from './late-forgetting.ts'
import { countLines, forgetLines } from './log-forgetting.ts'
import { mentions, needlesOf } from './mentions.ts'

/** Where people are to be taken out of. */
export type ForgetStores = {
  control: Control
  events: Events
  people: People
  replays: Replays
  subjects: Subjects
  log: EventLog
  exportsDir: string
}

export type Whom = {
  workspaceId: string
  requestId: string
  mode: ForgetMode
  bornIds: readonly string[]
  /** What people call them, as far as it is still known. */
  values: readonly string[]
  list: List
}

/** One store. Counting and doing may both be repeated, and what was done once is found done. */
export type Step = {
  store: string
  method: string
  count: (whom: Whom) => Promise<number>
  run: (whom: Whom) => Promise<void>
}

/**
 * Every place that keeps something of people, in the order in which they are left: what is found through another comes
 * before it. A store that is added has its line here, and its file in the list of holdings.
 */
export function stepsOf(stores: ForgetStores, mode: ForgetMode): Step[] {
  const { control, people, replays, subjects, log } = stores
  const isErasing = mode === 'erase'
  const changed = isErasing ? 'deleted' : 'anonymised'
  return [
    {
      store: 'log',
      method: changed,
      count: ({ bornIds }) => countLines(log, bornIds),
      async run({ bornIds }) {
        await forgetLines(log, bornIds, mode)
        await tellForgotten(stores, { kind: 'people', mode }, bornIds)
      },
    },
    textStep('webhook_deliveries', 'payload emptied', stores, selectPayloads, (_, ids) =>
      emptyPayloads(control, ids),
    ),
    textStep('webhook_memory', 'deleted', stores, selectMemories, (_, ids) => deleteMemories(control, ids)),
    textStep('audit_log', 'details emptied', stores, selectAuditEntries, ({ workspaceId }, ids) =>
      emptyAuditEntries(control, workspaceId, ids),
    ),
    exportsStep(stores),
    {
      store: 'consents',
      method: 'deleted',
      count: ({ workspaceId, bornIds }) => countConsents({ control }, workspaceId, bornIds),
      run: ({ workspaceId, bornIds }) => forgetConsents({ control, subjects }, workspaceId, bornIds),
    },
    {
      store: 'replays',
      method: 'deleted',
      count: ({ workspaceId, bornIds }) => countReplays(control, workspaceId, bornIds),
      run: async ({ workspaceId, bornIds }) => void (await replays.forget(workspaceId, bornIds)),
    },
    ...(isErasing ? [deleting(stores, 'event_ids'), deleting(stores, 'overlay_orders')] : []),
    isErasing ? deleting(stores, 'event_overlays') : anonymising(stores, 'event_overlays'),
    isErasing ? deleting(stores, 'overlaid_events') : anonymising(stores, 'overlaid_events'),
    emptying(stores, 'overlaid_events'),
    deleting(stores, 'quarantine_states'),
    deleting(stores, 'quarantine'),
    deleting(stores, 'error_sightings'),
    emptying(stores, 'events'),
    isErasing ? deleting(stores, 'events') : anonymising(stores, 'events'),
    {
      store: 'identity',
      method: 'deleted, and suppressed by keyed hashes',
      count: ({ workspaceId, bornIds }) => countIdentity(control, workspaceId, bornIds),
      run: async ({ workspaceId, bornIds, requestId }) =>
        void (await people.forget(workspaceId, bornIds, requestId)),
    },
    requestsStep(stores),
    { store: 'files', method: 'written anew', count: async () => 0, run: () => clearFiles(stores) },
  ]
}

function deleting({ events }: ForgetStores, table: PeopleTable): Step {
  return {
    store: table,
    method: 'deleted',
    count: ({ list, workspaceId }) => countTheirs(events, table, list, workspaceId),
    run: ({ list, workspaceId }) => deleteTheirs(events, table, list, workspaceId),
  }
}

function anonymising({ events }: ForgetStores, table: 'events' | 'overlaid_events' | 'event_overlays'): Step {
  return {
    store: table,
    method: 'anonymised',
    count: ({ list, workspaceId }) => countTheirs(events, table, list, workspaceId),
    run: ({ list, workspaceId }) => anonymiseTheirs(events, table, list, workspaceId),
  }
}

/** Events of others that name the person keep everything but that. */
function emptying({ events }: ForgetStores, table: 'events' | 'overlaid_events'): Step {
  return {
    store: `${table}_of_others`,
    method: 'identifiers emptied',
    count: ({ list, workspaceId }) => countMentions(events, table, list, workspaceId),
    run: ({ list, workspaceId }) => emptyMentions(events, table, list, workspaceId),
  }
}

type SelectTexts = (sql: Control, workspaceId: string, needles: readonly string[]) => Promise<TextRow[]>

/** Rows of the control store that are found by what stands in their text. */
function textStep(
  store: string,
  method: string,
  { control }: ForgetStores,
  select: SelectTexts,
  change: (whom: Whom, ids: readonly string[]) => Promise<void>,
): Step {
  const find = async ({ workspaceId, values }: Whom) => {
    const rows = values.length === 0 ? [] : await select(control, workspaceId, needlesOf(values))
    return rows.filter(({ text }) => mentions(text, values)).map(({ id }) => id)
  }
  return {
    store,
    method,
    count: async (whom) => (await find(whom)).length,
    run: async (whom) => change(whom, await find(whom)),
  }
}

async function askedFor({ control }: ForgetStores, { workspaceId, bornIds, values }: Whom) {
  const isTheirs = new Set([...bornIds, ...values])
  const rows = await selectSubjectsAsked(control, workspaceId)
  return rows.filter(
    ({ subject }) =>
      (subject.person_id !== null && isTheirs.has(subject.person_id)) ||
      subject.identifiers.some(({ value }) => isTheirs.has(value)),
  )
}

/** Archives that were made for the person. */
function exportsStep(stores: ForgetStores): Step {
  const find = async (whom: Whom) =>
    (await askedFor(stores, whom)).filter(({ type }) => type === 'export').map(({ id }) => id)
  return {
    store: 'exports',
    method: 'deleted',
    count: async (whom) => (await find(whom)).length,
    async run(whom) {
      const ids = await find(whom)
      for (const id of ids) {
        await unlink(archivePath(stores.exportsDir, id)).catch(() => {})
        await emptyExport(stores.control, id)
      }
      await tellForgotten(stores, { kind: 'exports', mode: 'erase' }, ids)
    },
  }
}

/** This request and those before it: that they were made stays, about whom does not. */
function requestsStep(stores: ForgetStores): Step {
  return {
    store: 'subject_requests',
    method: 'subject emptied',
    count: async (whom) => (await askedFor(stores, whom)).length,
    async run(whom) {
      const rows = await askedFor(stores, whom)
      const own = rows.some(({ id }) => id === whom.requestId)
        ? []
        : [{ id: whom.requestId, subject_request_id: null }]
      for (const { id, subject_request_id } of [...rows, ...own]) {
        const namesThem = subject_request_id !== null && mentions(subject_request_id, whom.values)
        await emptySubject(stores.control, id, !namesThem)
      }
    },
  }
}

/** A part that a read still uses goes when the read is over. */
const partsMsMax = 20_000
const partsAgainMs = 250

/**
 * What was deleted lies on disk until parts and pages are written anew and the old ones are gone. Parts that are
 * replaced from now on were made without the person, so only those of before are waited for.
 */
async function clearFiles({ control, events }: ForgetStores): Promise<void> {
  const until = performance.now() + partsMsMax
  let left = await selectReplacedParts(events)
  while (left.length > 0) {
    for (const table of new Set(left.map((part) => part.table))) await removeReplacedParts(events, table)
    const now = await selectReplacedParts(events)
    left = left.filter((part) => now.some((other) => isSame(part, other)))
    if (left.length > 0 && performance.now() > until) throw new Error('replaced parts are still in use')
    if (left.length > 0) await wait(partsAgainMs)
  }
  await clearControlFiles(control)
}

function isSame(part: ReplacedPart, other: ReplacedPart): boolean {
  return part.table === other.table && part.name === other.name
}
