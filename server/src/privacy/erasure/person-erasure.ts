import { randomBytes } from 'node:crypto'
import type { ForgetMode } from '@assay/contract'
import { noteSuppressed } from '../../consent/erasure.ts'
import type { Subjects } from '../../consent/subjects.ts'
import { type FindIds, idsInTurn } from '../../identity/commands/erasure.ts'
import type { People } from '../../identity/people.ts'
import { valuesOf } from '../../identity/personal-data.ts'
import type { Finder } from '../../identity/profiles/person.ts'
import type { Writer } from '../../ingest/loader/loader.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import type { DataSubject } from '../../store/people/data-subject.ts'
import {
  dropPersonList,
  fillPersonList,
  listEventIds,
  personList,
  requirePersonList,
} from '../../store/people/person-list.ts'
import { isStored, type PersonalDataPlace, type StoredPlace } from '../../store/people/personal-data.ts'
import type { SigningKey } from '../requests/signature.ts'
import type { ForgetResult, ForgetState, RequestRow } from '../requests/store.ts'
import { findSubject } from '../requests/subject.ts'
import type { KeepStates, ReportSteps, States } from '../requests/worker.ts'
import { signCertificate } from './certificate.ts'
import { publishErasure } from './late-events.ts'
import { emptyPlaces, type Member, recount, rowsOfEach } from './places-erasure.ts'

type Forgetter = {
  control: Control
  events: Events
  people: People
  subjects: Subjects
  writer: Writer
  places: readonly PersonalDataPlace[]
  key: SigningKey
  /** Takes away what was deleted before from the files, too. */
  clearFiles: () => Promise<void>
  now: Clock
}

/** What was acknowledged before must be found; the usual load takes a fraction of a second. */
const flushMsMax = 20_000
const saltBytes = 16

/** So many identifiers are looked for together; a person has at most a thousand. */
const identifiersMax = 1_000

/**
 * Erases people from every place, one place at a time, of one workspace and in one mode. The progress is
 * stored in the requests, so that a successor resumes at the interrupted place.
 */
export async function forgetPeople(
  forgetter: Forgetter,
  rows: readonly RequestRow[],
  report: ReportSteps,
  keep: KeepStates,
): Promise<Map<string, { forget: ForgetResult }>> {
  // The previous worker may have died and left a list that is named after one of them.
  for (const { id, attempts } of rows) {
    if (attempts > 1) await dropPersonList(forgetter.events, personList(id, []))
  }
  const salt = rows[0]?.state?.salt ?? randomBytes(saltBytes).toString('hex')
  const begun = await begin(forgetter, rows, salt)
  await keep(begun)
  const done = new Map<string, { forget: ForgetResult }>()
  for (const group of groupsOf(rows, begun)) {
    for (const [id, forget] of await forgetGroup(forgetter, group, begun, report, keep)) {
      done.set(id, { forget })
    }
  }
  return done
}

/** In their order, each with as many as are still a search of a usual size. */
function groupsOf(rows: readonly RequestRow[], states: States): RequestRow[][] {
  const groups: RequestRow[][] = []
  let identifiers = Number.POSITIVE_INFINITY
  for (const row of rows) {
    const own = Math.max(states.get(row.id)?.originalIds.length ?? 0, row.subject.identifiers.length)
    identifiers += own
    if (identifiers > identifiersMax) {
      groups.push([])
      identifiers = own
    }
    groups.at(-1)?.push(row)
  }
  return groups
}

async function forgetGroup(
  forgetter: Forgetter,
  rows: readonly RequestRow[],
  begun: States,
  report: ReportSteps,
  keep: KeepStates,
): Promise<Map<string, ForgetResult>> {
  const { control, events, people, writer } = forgetter
  const { mode: asked, workspace_id: workspaceId } = rows[0] ?? raise()
  const mode = asked ?? 'erase'
  const states = new Map(rows.flatMap(({ id }) => [...begun].filter(([one]) => one === id)))
  const originalIds = [...new Set([...states.values()].flatMap((state) => state.originalIds))]
  await report('suppressing', new Map())
  await people.suppress(workspaceId, originalIds)
  await noteSuppressed(forgetter, workspaceId, originalIds)
  const { whole, members } = await describe(forgetter, rows, states)
  const places = storedPlaces(forgetter.places, mode)
  // The log is looked through line by line.
  const ofLog = { events, whole, members, mode, report, keep, requireList: async () => {} }
  try {
    const [log, ...others] = places
    await publishErasure(control, workspaceId, originalIds, mode)
    const loaded = log === undefined ? states : await emptyPlaces(ofLog, [log], states)
    await report('loading', rowsOfEach(loaded))
    if (!(await writer.flush(flushMsMax))) throw new Error('the events store is behind')
    const listed = await fillLists(events, whole, members, [...states.values()][0]?.salt ?? '')
    const erasure = { ...ofLog, requireList: () => requirePersonList(events, whole.list, listed) }
    const emptied = await emptyPlaces(erasure, others, loaded)
    await forgetMemories(forgetter, whole)
    await publishErasure(control, workspaceId, originalIds, mode)
    await report('verifying', rowsOfEach(emptied))
    const left = await recount(erasure, places)
    await report('files', rowsOfEach(emptied))
    await forgetter.clearFiles()
    return certifyAll(forgetter, rows, places, emptied, left)
  } finally {
    await dropPersonList(events, whole.list)
  }
}

function raise(): never {
  throw new Error('there is no request to be done')
}

/** Whom each of them is about; those that were begun before know it. */
async function begin(
  { people }: Forgetter,
  rows: readonly RequestRow[],
  salt: string,
): Promise<Map<string, ForgetState>> {
  const workspaceId = rows[0]?.workspace_id ?? raise()
  const fresh = rows.filter(({ state }) => state === null)
  const find = async (within: Finder, { subject }: RequestRow) =>
    (await findSubject(within, workspaceId, subject)).originalIds
  const finds = fresh.map(
    (row): FindIds =>
      (within) =>
        find(within, row),
  )
  const found =
    finds.length > 1
      ? await idsInTurn(people, workspaceId, finds)
      : await Promise.all(fresh.map((row) => find(people, row)))
  const ids = new Map(fresh.map(({ id }, index) => [id, found[index] ?? []]))
  return new Map(
    rows.map(({ id, state }) => [id, state ?? { originalIds: ids.get(id) ?? [], salt, steps: {} }]),
  )
}

/** All of them as one, and each alone; a single request is both. */
async function describe(
  forgetter: Forgetter,
  rows: readonly RequestRow[],
  states: States,
): Promise<{ whole: DataSubject; members: Member[] }> {
  const { id: listId, workspace_id: workspaceId } = rows[0] ?? raise()
  const subjectOf = (requestIds: string[], originalIds: readonly string[], values: string[], of: string) => {
    const list = personList(listId, values, of)
    return { workspaceId, requestIds, personIds: originalIds, originalIds, values, list }
  }
  const members: Member[] = []
  for (const { id, subject } of rows) {
    const originalIds = states.get(id)?.originalIds ?? []
    const known = await valuesOf(forgetter, workspaceId, originalIds)
    const values = [...new Set([...known, ...subject.identifiers.map(({ value }) => value)])]
    const person = subjectOf([id], originalIds, values, rows.length === 1 ? '' : id)
    members.push({ requestId: id, person })
  }
  const [only] = members
  if (only !== undefined && members.length === 1) return { whole: only.person, members }
  const ids = members.map(({ requestId }) => requestId)
  const people = members.map(({ person }) => person)
  const originalIds = [...new Set(people.flatMap((person) => person.originalIds))]
  const values = [...new Set(people.flatMap((person) => person.values))]
  return { whole: subjectOf(ids, originalIds, values, ''), members }
}

async function fillLists(
  events: Events,
  whole: DataSubject,
  members: readonly Member[],
  salt: string,
): Promise<number> {
  const parts = members.map(({ person }) => person).filter(({ list }) => list.of !== whole.list.of)
  const listed = await fillPersonList(events, whole.list, { ...whole, salt }, parts)
  await listEventIds(events, whole, parts)
  return listed
}

function storedPlaces(places: readonly PersonalDataPlace[], mode: ForgetMode): StoredPlace[] {
  return places.filter(isStored).filter(({ stays }) => stays?.mode !== mode)
}

async function forgetMemories(
  { places }: Forgetter,
  { workspaceId, originalIds }: DataSubject,
): Promise<void> {
  for (const place of places) if (!isStored(place)) await place.erase(workspaceId, originalIds)
}

async function certifyAll(
  forgetter: Forgetter,
  rows: readonly RequestRow[],
  places: readonly StoredPlace[],
  states: States,
  left: ReadonlyMap<string, number>,
): Promise<Map<string, ForgetResult>> {
  const certified = new Map<string, ForgetResult>()
  for (const row of rows) {
    certified.set(row.id, await certify(forgetter, row, places, states.get(row.id), left))
  }
  return certified
}

/** Says under the installation's key what was found before, and when it was looked for again. */
async function certify(
  { key, now }: Forgetter,
  row: RequestRow,
  places: readonly StoredPlace[],
  state: ForgetState | undefined,
  left: ReadonlyMap<string, number>,
): Promise<ForgetResult> {
  const mode = row.mode ?? 'erase'
  const found = places.map(({ name: store, method }) => {
    const rows_left = left.get(store) ?? 0
    if (rows_left > 0) throw new Error(`${rows_left} rows are left in ${store}`)
    return { store, method: method(mode), rows: state?.steps[store]?.rows ?? 0, rows_left }
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
    identifiers_suppressed: state?.originalIds.length ?? 0,
    stores,
  })
  const counts = Object.fromEntries(stores.map(({ store, rows }) => [store, rows]))
  return { mode, counts, certificate }
}
