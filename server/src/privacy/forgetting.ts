import { randomBytes } from 'node:crypto'
import type { ForgetMode } from '@assay/contract'
import type { Clock } from '../clock.ts'
import { noteSuppressed } from '../consent/forgetting.ts'
import type { Subjects } from '../consent/subjects.ts'
import type { People } from '../identity/people.ts'
import { valuesOf } from '../identity/personal-data.ts'
import type { Writer } from '../ingest/writer.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import { dropPersonList, fillPersonList, listEventIds, personList } from '../store/person-list.ts'
import {
  type DataSubject,
  isStored,
  type PersonalDataPlace,
  type StoredPlace,
} from '../store/personal-data.ts'
import type { Report } from './archive.ts'
import { signCertificate } from './certificate.ts'
import { emptyPlaces, recount, rowsOf } from './erasure.ts'
import { tellForgotten } from './late-forgetting.ts'
import { clearFiles } from './replaced-files.ts'
import type { SigningKey } from './signing.ts'
import type { ForgetResult, ForgetState, RequestRow } from './store.ts'
import { findSubject } from './subject.ts'
import type { KeepState } from './worker.ts'

export type Forgetter = {
  control: Control
  events: Events
  people: People
  subjects: Subjects
  writer: Writer
  places: readonly PersonalDataPlace[]
  key: SigningKey
  now: Clock
}

/** What was acknowledged before must be found; the usual load takes a fraction of a second. */
const flushMsMax = 20_000
const saltBytes = 16

/**
 * Takes a person out of every place, one after the other. How far it is stands in the request, so that whoever goes on
 * begins with the place that was cut short.
 */
export async function forgetPerson(
  forgetter: Forgetter,
  row: RequestRow,
  report: Report,
  keep: KeepState,
): Promise<{ forget: ForgetResult }> {
  const { control, events, people, writer } = forgetter
  const mode = row.mode ?? 'erase'
  const state = row.state ?? (await begin(forgetter, row))
  const { workspace_id: workspaceId } = row
  await keep(state)
  await report('suppressing', 0)
  await people.suppress(workspaceId, state.bornIds)
  await noteSuppressed(forgetter, workspaceId, state.bornIds)
  const person = await describe(forgetter, row, state)
  const places = storedPlaces(forgetter.places, mode)
  const erasure = { events, person, mode, report, keep }
  try {
    const [log, ...others] = places
    await tellForgotten(control, workspaceId, state.bornIds, mode)
    const loaded = log === undefined ? state : await emptyPlaces(erasure, [log], state)
    await report('loading', rowsOf(loaded))
    if (!(await writer.flush(flushMsMax))) throw new Error('the events store is behind')
    await fillPersonList(events, person.list, { ...person, salt: state.salt })
    await listEventIds(events, person)
    const emptied = await emptyPlaces(erasure, others, loaded)
    await forgetMemories(forgetter, person)
    await tellForgotten(control, workspaceId, state.bornIds, mode)
    await report('verifying', rowsOf(emptied))
    const left = await recount(erasure, places)
    await report('files', rowsOf(emptied))
    await clearFiles(forgetter, places)
    return { forget: await certify(forgetter, row, places, emptied, left) }
  } finally {
    await dropPersonList(events, person.list)
  }
}

async function begin({ people }: Forgetter, row: RequestRow): Promise<ForgetState> {
  const { bornIds } = await findSubject(people, row.workspace_id, row.subject)
  return { bornIds, salt: randomBytes(saltBytes).toString('hex'), steps: {} }
}

async function describe(forgetter: Forgetter, row: RequestRow, state: ForgetState): Promise<DataSubject> {
  const { workspace_id: workspaceId, id: requestId, subject } = row
  const { bornIds } = state
  const known = await valuesOf(forgetter, workspaceId, bornIds)
  const values = [...new Set([...known, ...subject.identifiers.map(({ value }) => value)])]
  const list = personList(requestId, values)
  return { workspaceId, requestId, personIds: bornIds, bornIds, values, list }
}

function storedPlaces(places: readonly PersonalDataPlace[], mode: ForgetMode): StoredPlace[] {
  return places.filter(isStored).filter(({ stays }) => stays?.mode !== mode)
}

async function forgetMemories({ places }: Forgetter, { workspaceId, bornIds }: DataSubject): Promise<void> {
  for (const place of places) if (!isStored(place)) await place.erase(workspaceId, bornIds)
}

/** Says under the installation's key what was found before, and when it was looked for again. */
async function certify(
  { key, now }: Forgetter,
  row: RequestRow,
  places: readonly StoredPlace[],
  state: ForgetState,
  left: ReadonlyMap<string, number>,
): Promise<ForgetResult> {
  const mode = row.mode ?? 'erase'
  const found = places.map(({ name: store, method }) => {
    const rows_left = left.get(store) ?? 0
    if (rows_left > 0) throw new Error(`${rows_left} rows are left in ${store}`)
    return { store, method: method(mode), rows: state.steps[store]?.rows ?? 0, rows_left }
  })
  const stores = [...found, { store: 'files', method: 'written again', rows: 0, rows_left: 0 }]
  const completedAt = new Date(now())
  const certificate = await signCertificate(key, {
    request_id: row.id,
    workspace_id: row.workspace_id,
    subject_request_id: row.subject_request_id,
    mode,
    regime: row.regime,
    received_at: row.received_at.toISOString(),
    due_at: row.due_at.toISOString(),
    completed_at: completedAt.toISOString(),
    sla_met: completedAt <= row.due_at,
    identifiers_suppressed: state.bornIds.length,
    stores,
  })
  const counts = Object.fromEntries(stores.map(({ store, rows }) => [store, rows]))
  return { mode, counts, certificate }
}
