import { isRecord, Problem } from '@assay/contract'
import { deleteEventsOf } from '../accounts/workspace-deletion.ts'
import type { Clock, NewId } from '../clock.ts'
import type { People } from '../identity/people.ts'
import type { Ingest } from '../ingest/pipeline.ts'
import type { Control, Sql } from '../store/control.ts'
import type { Events, EventsRow } from '../store/events.ts'
import {
  type Column,
  deleteRows,
  hasRows,
  insertTextRows,
  revokeSiteKeys,
  selectColumns,
  type TextRow,
} from './control-store.ts'
import { hasEventsRows, insertImported } from './events-store.ts'
import { partPath, readBatches } from './files.ts'
import type { Filling } from './filling.ts'
import { type ImportRow, updateImport, updateImportProgress } from './import-store.ts'
import {
  type ControlTable,
  controlTables,
  type EventsTable,
  eventsTables,
  generationColumns,
} from './tables.ts'

export type ApplyWorld = {
  control: Control
  events: Events
  people: People
  ingest: Pick<Ingest, 'hashId'>
  filling: Filling
  /** Whoever remembers anything of the workspace forgets it, on every node, and reads it anew. */
  renewed: (workspaceId: string) => Promise<void>
  now: Clock
  newId: NewId
}

const controlBatchRows = 1_000
/** As many as one load brings; the engine wants few large inserts. */
const eventsBatchRows = 10_000

/** Sites may be there, as the one of the first start is, and what the product makes of nothing by itself. */
export async function requireEmpty({ control, events }: ApplyWorld, workspaceId: string): Promise<void> {
  const found: string[] = []
  for (const table of controlTables) {
    if (table.isMade || table.name === 'sites') continue
    if (await hasRows(control, table, workspaceId)) found.push(table.name)
  }
  for (const table of eventsTables) {
    if (await hasEventsRows(events, table, workspaceId)) found.push(table.name)
  }
  if (found.length === 0) return
  throw new Problem('conflict', {
    detail: `Only an empty workspace takes an import, and this one has ${found.join(', ')}. Make a new one for it.`,
    members: { found },
  })
}

/**
 * Everything but events is tried first and taken back, since that is where an import is refused. Then events, which
 * nobody reads while the workspace is being filled, and then everything else for good, in one transaction with the word
 * that it is done. Whatever a try before left in the events store is taken out first.
 */
export async function applyImport(world: ApplyWorld, row: ImportRow, directory: string): Promise<void> {
  const { control, events, people, now } = world
  const { workspace_id: workspaceId, manifest } = row
  let rowsDone = 0
  const onRows = (count: number) => {
    rowsDone += count
    return updateImportProgress(control, row.id, rowsDone)
  }
  await clearEvents(world, workspaceId)
  await rehearse(control, (sql) => fillControl(sql, workspaceId, manifest.workspace_id, directory))
  for (const table of eventsTables) {
    for await (const lines of readBatches(partPath(directory, table.name), eventsBatchRows)) {
      const rows = eventsRows(world, workspaceId, table, lines)
      await insertImported(events, table.name, rows, world.newId('ins'))
      await onRows(lines.length)
    }
  }
  await control.transaction(async (sql) => {
    await revokeSiteKeys(sql, workspaceId, new Date(now()))
    await fillControl(sql, workspaceId, manifest.workspace_id, directory)
    await people.keys.adopt(sql, workspaceId, manifest.person_key)
    await updateImport(sql, row.id, ['applying'], 'done', null, new Date(now()))
  })
}

/** It is there for good: every node learns of it. */
export async function tellImported(world: ApplyWorld, { workspace_id, manifest }: ImportRow): Promise<void> {
  await world.people.keys.adopted(workspace_id, manifest.person_key)
  await world.renewed(workspace_id)
}

/** Also after a try that failed: nothing of it stays. */
export async function clearEvents({ events }: ApplyWorld, workspaceId: string): Promise<void> {
  if (await deleteEventsOf(events, [workspaceId])) return
  throw new Error('the events store is still clearing up')
}

class Rehearsed extends Error {}

async function rehearse(control: Control, work: (sql: Sql) => Promise<void>): Promise<void> {
  try {
    await control.transaction(async (sql) => {
      await work(sql)
      throw new Rehearsed('a rehearsal is rolled back')
    })
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error
  }
}

/** Ids of events are found by a hash under a secret of this installation, so it is made anew. */
function eventsRows(
  { ingest }: ApplyWorld,
  workspaceId: string,
  { name: table, byGeneration }: EventsTable,
  lines: readonly string[],
): EventsRow[] {
  return lines.map((line) => {
    const row = parseRow(table, line)
    // Also where the line names none: it would stand in no workspace, and nobody would ever find or remove it.
    if (byGeneration !== true) row.workspace_id = workspaceId
    renameGenerations(table, workspaceId, row)
    if (table === 'event_ids') {
      const { kind, id, site_id } = row
      const isOrder = Number(kind) === 1
      const named = isOrder ? `${String(site_id)}\u0000${String(id)}` : String(id)
      const { hi, lo } = ingest.hashId(workspaceId, isOrder ? 'order' : 'event', named)
      row.id_hi = hi
      row.id_lo = lo
    }
    return row
  })
}

function parseRow(table: string, line: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(line)
  if (isRecord(parsed)) return { ...parsed }
  throw new Problem('conflict', { detail: `A line of ${table} is no row.` })
}

/** Names of generations hold over all workspaces: with ours in it, it cannot be anybody else's. */
function renameGenerations(table: string, workspaceId: string, row: Record<string, unknown>): void {
  for (const column of generationColumns[table] ?? []) {
    const name = row[column]
    if (typeof name === 'string' && name !== '') row[column] = `${name}_${workspaceId}`
  }
}

/** Whose rows a row may name: only those that came with it, for an id of another workspace would be found as well. */
type Brought = { sites: Set<string>; connections: Set<string>; destinations: Set<string> }

async function fillControl(
  sql: Sql,
  workspaceId: string,
  cameFrom: string,
  directory: string,
): Promise<void> {
  for (const table of controlTables.toReversed()) {
    if (table.isMade || table.name === 'sites') await deleteRows(sql, table, workspaceId)
  }
  const brought: Brought = { sites: new Set(), connections: new Set(), destinations: new Set() }
  for (const table of controlTables) {
    const columns = await selectColumns(sql, table.name)
    for await (const lines of readBatches(partPath(directory, table.name), controlBatchRows)) {
      const rows = lines.map((line) => controlRow(table, workspaceId, columns, brought, line))
      if (table.name === 'identity_ledger_heads') for (const row of rows) row.begun_in ??= cameFrom
      const [first = {}] = rows
      const given = columns.filter(({ name }) => name in first)
      await insertTextRows(sql, table.name, given, rows).catch((error: unknown) => {
        throw refusedBy(error, table.name)
      })
    }
  }
}

function controlRow(
  table: ControlTable,
  workspaceId: string,
  columns: readonly Column[],
  brought: Brought,
  line: string,
): TextRow {
  const parsed = parseRow(table.name, line)
  if ('workspace_id' in parsed) parsed.workspace_id = workspaceId
  renameGenerations(table.name, workspaceId, parsed)
  const row: TextRow = {}
  for (const [name, value] of Object.entries(parsed)) {
    const isKnown = columns.some((column) => column.name === name) && !table.without?.includes(name)
    if (!isKnown || (value !== null && typeof value !== 'string')) {
      throw new Problem('conflict', {
        detail: `A row of ${table.name} has a value that does not belong there: ${name}.`,
      })
    }
    row[name] = table.emptied?.includes(name) ? '' : value
  }
  noteBrought(table.name, row, brought)
  return row
}

function noteBrought(table: string, row: TextRow, brought: Brought): void {
  const { id } = row
  if (table === 'sites' && id) brought.sites.add(id)
  if (table === 'webhook_connections' && id) brought.connections.add(id)
  if (table === 'destinations' && id) brought.destinations.add(id)
  const named: readonly (readonly [string | null | undefined, Set<string>])[] = [
    [row.site_id, brought.sites],
    [table === 'webhook_memory' ? row.connection_id : null, brought.connections],
    [row.destination_id, brought.destinations],
  ]
  for (const [given, known] of named) {
    if (given && !known.has(given)) {
      throw new Problem('conflict', {
        detail: `A row of ${table} names ${given}, which is not in this export.`,
      })
    }
  }
}

/** Codes of Postgres: 23505 is an id that is there already, classes 22 and 23 values that do not fit. */
function refusedBy(error: unknown, table: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === '23505') {
    const detail = `Ids in ${table} are taken on this server. Was this workspace imported here before, or made here?`
    return new Problem('conflict', { detail, cause: error })
  }
  if (!/^2[23]/.test(code)) return error
  return new Problem('conflict', { detail: `A row of ${table} does not fit this server.`, cause: error })
}
