import type { People } from '../../identity/people.ts'
import { valuesOf } from '../../identity/personal-data.ts'
import type { Writer } from '../../ingest/loader/loader.ts'
import { type Clock, isId } from '../../platform/clock.ts'
import { forEachItem, type ItemFailure } from '../../platform/items.ts'
import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import type { StoredFiles } from '../../store/files/stored-files.ts'
import type { DataSubject } from '../../store/people/data-subject.ts'
import {
  dropPersonList,
  fillPersonList,
  listEventIds,
  personList,
  requirePersonList,
} from '../../store/people/person-list.ts'
import { isStored, type PersonalDataPlace } from '../../store/people/personal-data.ts'
import { emptySubjects } from '../personal-data-store.ts'
import { type Holding, type Report, writeArchive } from './archive.ts'
import type { ExportResult, RequestRow } from './store.ts'
import { findSubject, type Subject } from './subject.ts'

type Exporter = {
  control: Control
  events: Events
  people: People
  writer: Writer
  places: readonly PersonalDataPlace[]
  now: Clock
  files: StoredFiles
}

/** Long enough to be fetched by a person who was written to, short enough not to lie about. */
export const exportDays = 7
const keptMs = exportDays * 24 * 3_600_000
/** What was acknowledged before the request must be in it; the usual load takes a fraction of a second. */
const flushMsMax = 20_000

export async function exportPerson(
  exporter: Exporter,
  row: RequestRow,
  report: Report,
): Promise<{ export: ExportResult }> {
  const { events, people, writer, now, files } = exporter
  await report('loading', 0)
  if (!(await writer.flush(flushMsMax))) throw new Error('the events store is behind')
  const subject = await findSubject(people, row.workspace_id, row.subject)
  const gone = await people.suppressed(row.workspace_id, subject.originalIds)
  const about = {
    request_id: row.id,
    workspace_id: row.workspace_id,
    subject_request_id: row.subject_request_id,
    regime: row.regime,
    asked: row.subject,
    person_ids: subject.personIds,
    made_at: new Date(now()).toISOString(),
  }
  const person = await describe(exporter, row, subject)
  try {
    const listed = await fillPersonList(events, person.list, { ...person, salt: '' })
    await listEventIds(events, person)
    const holdings = holdingsOf(exporter.places, person)
    const target = { files, path: archivePath(row.id), workspaceId: row.workspace_id }
    const archive = await writeArchive(target, about, holdings, report)
    await requirePersonList(events, person.list, listed)
    await heedForgotten(exporter, row, subject, gone)
    return { export: { ...archive, expires_at: new Date(now() + keptMs).toISOString() } }
  } finally {
    await dropPersonList(events, person.list)
  }
}

/**
 * People erased while the archive was written may still be in it, so it is written again. People erased
 * before are not in it, and the request stops naming them.
 */
async function heedForgotten(
  { control, people, files }: Exporter,
  { id, workspace_id: workspaceId }: RequestRow,
  { originalIds }: Subject,
  before: ReadonlySet<string>,
): Promise<void> {
  const gone = await people.suppressed(workspaceId, originalIds)
  if (gone.size > before.size) {
    await removeArchive(files, id)
    throw new Error('a person was erased while their data was exported')
  }
  if (gone.size > 0) await emptySubjects(control, workspaceId, [id], [])
}

async function describe(exporter: Exporter, row: RequestRow, subject: Subject): Promise<DataSubject> {
  const { workspace_id: workspaceId, id } = row
  const known = await valuesOf(exporter, workspaceId, subject.originalIds)
  const values = [...new Set([...known, ...row.subject.identifiers.map(({ value }) => value)])]
  return { workspaceId, requestIds: [id], ...subject, values, list: personList(id, values) }
}

/** The files of every place that exports anything. */
function holdingsOf(places: readonly PersonalDataPlace[], person: DataSubject): Holding[] {
  const files = places.filter(isStored).flatMap(({ exported }) => ('because' in exported ? [] : exported))
  return files.map(({ name, rows }) => ({ name, rows: () => rows(person) }))
}

export const archiveFolder = 'exports'

export function archivePath(id: string): string {
  if (!isId('dsr', id)) throw new Error('an archive is named by the id of its request')
  return `${archiveFolder}/${id}.zip`
}

/** An id that is none of ours, as an import may bring one, has no archive. */
export async function removeArchive(files: StoredFiles, id: string): Promise<void> {
  if (!isId('dsr', id)) return
  // Also what a process that was killed had written of it.
  const stored = await files.list(archiveFolder)
  for (const { name } of stored)
    if (name.startsWith(`${id}.zip`)) await files.remove(`${archiveFolder}/${name}`)
}

/** Takes away archives that have expired, and what a process that died left half written. */
export async function removeOldArchives(
  files: StoredFiles,
  now: Clock,
  onFailure: ItemFailure,
): Promise<void> {
  const old = (await files.list(archiveFolder)).filter(({ changedMs }) => changedMs + keptMs < now())
  await forEachItem(old, ({ name }) => files.remove(`${archiveFolder}/${name}`), onFailure)
}
