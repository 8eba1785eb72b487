import { isRecord } from '@assay/contract'
import type { Control } from '../store/control.ts'
import type { StoredFiles } from '../store/files/stored-files.ts'
import type { DataSubject } from '../store/people/data-subject.ts'
import { unpacked } from '../store/people/person-export.ts'
import { mentions } from '../store/people/person-text.ts'
import { textsNaming } from '../store/people/person-text-table.ts'
import type { PersonalDataPlace, StoredPlace } from '../store/people/personal-data.ts'
import {
  type AskedRow,
  emptyExports,
  emptySubjects,
  selectAsked,
  selectCallbackTexts,
  selectOffered,
  updateCallbackBody,
} from './personal-data-store.ts'
import { archiveFolder, removeArchive } from './requests/person-export.ts'

const rowsPerRead = 500

/** Requests about the person, by the person that they name. */
async function* askedFor(control: Control, { workspaceId, originalIds, values }: DataSubject) {
  const isTheirs = new Set([...originalIds, ...values])
  let after = ''
  for (;;) {
    const rows = await selectAsked(control, workspaceId, after, rowsPerRead)
    for (const row of rows) {
      const { person_id, identifiers } = row.subject
      if (person_id !== null && isTheirs.has(person_id)) yield row
      else if (identifiers.some(({ value }) => isTheirs.has(value))) yield row
    }
    after = rows.at(-1)?.id ?? ''
    if (rows.length < rowsPerRead) return
  }
}

/** Without the one that the archive is made for, which stands in its manifest. */
async function* earlierRequests(control: Control, person: DataSubject) {
  for await (const row of askedFor(control, person)) if (!person.requestIds.includes(row.id)) yield row
}

async function allAsked(control: Control, person: DataSubject): Promise<AskedRow[]> {
  const rows: AskedRow[] = []
  for await (const row of askedFor(control, person)) rows.push(row)
  return rows
}

/**
 * Those that may stop saying whom they are about, and whose archive may go. One that is still to be done has to know,
 * since it may name others besides; it is emptied when it is done.
 */
async function emptiable(control: Control, person: DataSubject): Promise<AskedRow[]> {
  const isOwn = new Set(person.requestIds)
  const rows = await allAsked(control, person)
  return rows.filter(({ id, status }) => isOwn.has(id) || !isToBeDone(status))
}

const isToBeDone = (status: string) => status === 'pending' || status === 'in_progress'

/** Archives that were made for the person. */
export function archiveData(control: Control, files: StoredFiles): StoredPlace {
  const find = async (person: DataSubject) =>
    (await emptiable(control, person)).filter(({ type }) => type === 'export').map(({ id }) => id)
  return {
    kind: 'files',
    name: 'exports',
    covers: { files: [archiveFolder] },
    method: () => 'deleted',
    count: async (person) => (await find(person)).length,
    async erase(person) {
      const ids = await find(person)
      for (const id of ids) await removeArchive(files, id)
      await emptyExports(control, person.workspaceId, ids)
    },
    // The requester is not known there any more; an export that is not offered need not be stored.
    eraseOnNode: () => removeWithdrawn(control, files),
    exported: { because: 'a copy of what this archive holds' },
  }
}

async function removeWithdrawn(control: Control, files: StoredFiles): Promise<void> {
  const stored = await files.list(archiveFolder)
  const ids = stored.flatMap(({ name }) => /^(\w+)\.zip$/.exec(name)?.[1] ?? [])
  const isOffered = new Set(ids.length === 0 ? [] : await selectOffered(control, ids))
  for (const id of ids) if (!isOffered.has(id)) await removeArchive(files, id)
}

/** What the person asked for, and what is still to be sent about it. They come last: they say who it is about. */
export function requestData(control: Control): PersonalDataPlace[] {
  return [callbackTable(control), requestTable(control)]
}

function callbackTable(control: Control): StoredPlace {
  return {
    kind: 'table',
    name: 'subject_request_callbacks',
    covers: { control: ['subject_request_callbacks'] },
    method: () => 'identifiers emptied',
    async count(person) {
      let rows = 0
      for await (const _ of textsNaming(control, selectCallbackTexts, person)) rows += 1
      return rows
    },
    async erase(person) {
      for await (const { id, text } of textsNaming(control, selectCallbackTexts, person)) {
        const body = unpacked(text)
        const data = isRecord(body) && isRecord(body.data) ? { ...body.data, subject_request_id: null } : {}
        const without = JSON.stringify({ ...(isRecord(body) && body), data })
        await updateCallbackBody(control, person.workspaceId, id, without)
      }
    },
    exported: { because: 'the status of a request, queued for its callback' },
  }
}

/** This request and those before it: that they were made stays, about whom does not. */
function requestTable(control: Control): StoredPlace {
  return {
    kind: 'table',
    name: 'subject_requests',
    covers: { control: ['subject_requests'] },
    method: () => 'subject emptied',
    count: async (person) => (await emptiable(control, person)).length,
    async erase(person) {
      const rows = await emptiable(control, person)
      const naming = rows.filter(
        ({ subject_request_id: own }) => own !== null && mentions(own, person.values),
      )
      const ids = rows.map(({ id }) => id)
      await emptySubjects(
        control,
        person.workspaceId,
        [...ids, ...person.requestIds],
        naming.map(({ id }) => id),
      )
    },
    isAlwaysErased: true,
    exported: [{ name: 'requests', rows: (person) => earlierRequests(control, person) }],
  }
}
