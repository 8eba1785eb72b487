import { Problem, type TransferManifest } from '@assay/contract'
import { revokeKeysOfSites } from '../../auth/keys/keys.ts'
import type { People } from '../../identity/people.ts'
import type { Ingest } from '../../ingest/ingest.ts'
import type { Clock, NewId } from '../../platform/clock.ts'
import type { Control, Sql } from '../../store/control.ts'
import type { Events, EventsRow } from '../../store/events.ts'
import { deleteEventsOf } from '../../workspaces/deletion.ts'
import { deleteRows, hasRows, insertTextRows, selectColumns, type TextRow } from '../control-store.ts'
import { hasEventsRows, insertImported, selectWrongKey } from '../events-store.ts'
import { type PartFolder, readBatches } from '../files.ts'
import { controlShapes } from '../shapes/control-shapes.ts'
import { eventShapes } from '../shapes/events/event-shapes.ts'
import type { TableShape } from '../shapes/table-shape.ts'
import {
  type ControlTable,
  controlTables,
  type EventsTable,
  eventsTables,
  generationColumns,
} from '../tables.ts'
import type { ImportLock } from './import-lock.ts'
import { type ImportRow, seeImport, updateImport, updateImportProgress } from './import-store.ts'
import { createLedgerCheck, type LedgerCheck } from './ledger-check.ts'
import { type Brought, nothingBrought } from './named-sets.ts'
import { createRowReader, flawed } from './row-check.ts'

export type ApplyWorld = {
  control: Control
  events: Events
  people: People
  ingest: Pick<Ingest, 'hashId'>
  importLock: ImportLock
  /** Evicts everything cached of the workspace, on every node. */
  renewed: (workspaceId: string) => Promise<void>
  now: Clock
  newId: NewId
  /** Of this process among all that share the stores. */
  nodeId: string
}

const controlBatchRows = 1_000
/** As many as one load brings; the engine wants few large inserts. */
const eventsBatchRows = 10_000

/** Sites may exist, such as the one of the first start, and rows that the product creates automatically. */
export async function requireEmpty({ control, events }: ApplyWorld, workspaceId: string): Promise<void> {
  const found: string[] = []
  for (const table of controlTables) {
    if (table.isMade || table.staysFilled || table.name === 'sites') continue
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
 * Everything but events is tried first and rolled back, since that is where an import is refused. Then
 * events, which no one can read during the import, and then everything else, in one transaction with the
 * final status. What an earlier attempt left in the events store is removed first.
 */
export async function applyImport(world: ApplyWorld, row: ImportRow, at: PartFolder): Promise<void> {
  const { control, people, now } = world
  const { workspace_id: workspaceId, manifest } = row
  let rowsDone = 0
  const onRows = (count: number) => {
    rowsDone += count
    return updateImportProgress(control, row.id, rowsDone)
  }
  await clearEvents(world, workspaceId)
  let brought = nothingBrought(manifest.person_key)
  await dryRun(control, async (sql) => {
    brought = await fillControl(sql, workspaceId, manifest, at)
  })
  const stillOurs = () => requireOurs(control, world.nodeId, row)
  await fillEvents(world, { ...at, stillOurs }, brought, onRows)
  await control.transaction(async (sql) => {
    await revokeKeysOfSites(sql, workspaceId, new Date(now()))
    await fillControl(sql, workspaceId, manifest, at)
    await people.keys.adopt(sql, workspaceId, manifest.person_key)
    await requireOurs(sql, world.nodeId, row)
    await updateImport(sql, row.id, ['applying'], 'done', null, new Date(now()))
  })
}

/** Another node took this import over, because this one was not seen for long: it has to stop. */
export class ImportTaken extends Error {
  override readonly name = 'ImportTaken'
}

async function requireOurs(sql: Sql, nodeId: string, { id }: ImportRow): Promise<void> {
  if (!(await seeImport(sql, id, nodeId))) throw new ImportTaken(`another node puts import ${id} into place`)
}

/** It is there for good: every node learns of it. */
export async function publishImported(
  world: ApplyWorld,
  { workspace_id, manifest }: ImportRow,
): Promise<void> {
  await world.people.keys.adopted(workspace_id, manifest.person_key)
  await world.renewed(workspace_id)
}

/** Also after a try that failed: nothing of it stays. */
export async function clearEvents({ events }: ApplyWorld, workspaceId: string): Promise<void> {
  if (await deleteEventsOf(events, [workspaceId])) return
  throw new Error('the events store is still clearing up')
}

class DryRunEnd extends Error {}

async function dryRun(control: Control, work: (sql: Sql) => Promise<void>): Promise<void> {
  try {
    await control.transaction(async (sql) => {
      await work(sql)
      throw new DryRunEnd('a dry run is rolled back')
    })
  } catch (error) {
    if (!(error instanceof DryRunEnd)) throw error
  }
}

/** Ids of events are found by a hash under a secret of this installation, so it is made again. */
function toStored(
  { ingest }: ApplyWorld,
  workspaceId: string,
  { name: table, byGeneration }: EventsTable,
  row: EventsRow,
): EventsRow {
  const own = { ...row }
  if (byGeneration !== true) own.workspace_id = workspaceId
  renameGenerations(table, workspaceId, own)
  if (table === 'event_ids') {
    const isOrder = Number(own.kind) === 1
    const named = isOrder ? `${String(own.site_id)}\u0000${String(own.id)}` : String(own.id)
    const { hi, lo } = ingest.hashId(workspaceId, isOrder ? 'order' : 'event', named)
    own.id_hi = hi
    own.id_lo = lo
  }
  return own
}

/** A name of a generation without the workspaces that it came through. */
const generationLength = 'gen_'.length + 26

/** Generation names are unique across workspaces: they contain the workspace id. */
function renameGenerations(table: string, workspaceId: string, row: Record<string, unknown>): void {
  for (const column of generationColumns[table] ?? []) {
    const name = row[column]
    if (typeof name === 'string' && name !== '')
      row[column] = `${name.slice(0, generationLength)}_${workspaceId}`
  }
}

async function fillEvents(
  world: ApplyWorld,
  at: PartFolder & { stillOurs: () => Promise<void> },
  brought: Brought,
  onRows: (count: number) => Promise<void>,
): Promise<void> {
  const { workspaceId } = at
  for (const table of eventsTables) {
    const shape = eventShapes[table.name]
    if (shape === undefined) throw new Error(`the columns of ${table.name} are not declared`)
    const reader = createRowReader<EventsRow>(table.name, shape, brought, (parsed) => parsed)
    for await (const lines of readBatches(at, table.name, eventsBatchRows)) {
      const rows: EventsRow[] = []
      for (const line of lines) rows.push(toStored(world, workspaceId, table, await reader.read(line)))
      await at.stillOurs()
      await insertImported(world.events, table.name, rows, world.newId('ins'))
      await onRows(lines.length)
    }
    const wrong = await selectWrongKey(world.events, table.name, workspaceId)
    if (wrong !== null) {
      const detail = `${table.name}.ndjson: ${wrong} must be the hash of what it stands for in every row.`
      throw new Problem('conflict', { detail })
    }
  }
}

/** Answers what came, which events may name. */
async function fillControl(
  sql: Sql,
  workspaceId: string,
  { workspace_id: cameFrom, person_key }: TransferManifest,
  at: PartFolder,
): Promise<Brought> {
  for (const table of controlTables.toReversed()) {
    if (table.isMade || table.name === 'sites') await deleteRows(sql, table, workspaceId)
  }
  const brought = nothingBrought(person_key)
  const ledger = createLedgerCheck(cameFrom)
  for (const table of controlTables) {
    const shape = controlShapes[table.name]
    if (shape === undefined) throw new Error(`the columns of ${table.name} are not declared`)
    const checked = withLedger(table.name, shape, ledger)
    const reader = createRowReader(table.name, checked, brought, (parsed) => textRow(table, parsed))
    const columns = await selectColumns(sql, table.name)
    for await (const lines of readBatches(at, table.name, controlBatchRows)) {
      const rows: TextRow[] = []
      for (const line of lines) rows.push(toControl(table, workspaceId, cameFrom, await reader.read(line)))
      const [first = {}] = rows
      const given = columns.filter(({ name }) => name in first)
      await insertTextRows(sql, table.name, given, rows).catch((error: unknown) => {
        throw refusedBy(error, table.name)
      })
    }
  }
  const broken = ledger.end()
  if (broken !== null) throw flawed({ table: 'identity_ledger_heads', line: 1 }, broken)
  return brought
}

function withLedger(table: string, shape: TableShape, ledger: LedgerCheck): TableShape {
  if (table === 'identity_ledger') return { ...shape, row: (row) => ledger.entry(row) }
  if (table !== 'identity_ledger_heads') return shape
  return {
    ...shape,
    row(row) {
      ledger.head(row)
      return null
    },
  }
}

/** Everything is a text or nothing. What stays behind is left out, and secrets are empty. */
function textRow(table: ControlTable, parsed: Record<string, unknown>): TextRow {
  const row: TextRow = {}
  for (const [name, value] of Object.entries(parsed)) {
    // boundary: what is neither a text nor nothing is refused by the check of its column.
    row[name] = table.emptied?.includes(name) ? '' : (value as string | null)
  }
  return row
}

function toControl(
  { name: table, through }: ControlTable,
  workspaceId: string,
  cameFrom: string,
  row: TextRow,
): TextRow {
  const own = { ...row }
  if (through === undefined) own.workspace_id = workspaceId
  renameGenerations(table, workspaceId, own)
  if (table === 'identity_ledger_heads') own.begun_in ??= cameFrom
  // Its worker was on another server, whose lease does not apply here: it is started again.
  if (table === 'subject_requests' && own.status === 'in_progress') own.status = 'pending'
  if (table === 'attribution_jobs' && own.status === 'running') own.status = 'queued'
  return own
}

/** Codes of Postgres: 23505 is an id that is there already, classes 22 and 23 values that do not fit. */
function refusedBy(error: unknown, table: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === '23505' && table === 'api_keys') {
    const detail =
      'A public key of this export is in use on this server already. Import without keys ' +
      '(assay import --without-keys) and create new ones.'
    return new Problem('conflict', { detail, cause: error })
  }
  if (code === '23505') {
    const detail = `Ids in ${table} are taken on this server. Was this workspace imported here before, or made here?`
    return new Problem('conflict', { detail, cause: error })
  }
  if (!/^2[23]/.test(code)) return error
  return new Problem('conflict', { detail: `A row of ${table} does not fit this server.`, cause: error })
}
