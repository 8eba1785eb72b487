import { lstat, mkdir, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, isId } from '../clock.ts'
import type { Writer } from '../ingest/writer.ts'
import { pathWithin } from '../store/safe-path.ts'
import { type Report, writeArchive } from './archive.ts'
import { holdingsOf, type Stores } from './holdings.ts'
import type { ExportResult, RequestRow } from './store.ts'
import { findSubject } from './subject.ts'

export type Exporter = Stores & { writer: Writer; now: Clock; exportsDir: string }

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
  const { people, writer, now, exportsDir } = exporter
  await report('loading', 0)
  if (!(await writer.flush(flushMsMax))) throw new Error('the events store is behind')
  const subject = await findSubject(people, row.workspace_id, row.subject)
  await mkdir(exportsDir, { recursive: true, mode: 0o700 })
  const about = {
    request_id: row.id,
    workspace_id: row.workspace_id,
    subject_request_id: row.subject_request_id,
    regime: row.regime,
    asked: row.subject,
    person_ids: subject.personIds,
    made_at: new Date(now()).toISOString(),
  }
  const holdings = holdingsOf(exporter, row.workspace_id, subject)
  const archive = await writeArchive(archivePath(exportsDir, row.id), about, holdings, report)
  return { export: { ...archive, expires_at: new Date(now() + keptMs).toISOString() } }
}

export function archivePath(exportsDir: string, id: string): string {
  if (!isId('dsr', id)) throw new Error('an archive is named by the id of its request')
  return pathWithin(exportsDir, `${id}.zip`)
}

/** Takes away archives that have expired, and what a process that died left half written. */
export async function removeOldArchives(exportsDir: string, now: Clock): Promise<void> {
  const names = await readdir(exportsDir).catch(() => [])
  for (const name of names) {
    const path = join(exportsDir, name)
    const { mtimeMs } = await lstat(path)
    if (mtimeMs + keptMs < now()) await unlink(path)
  }
}
