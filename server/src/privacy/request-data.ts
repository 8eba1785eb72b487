import { isRecord } from '@assay/contract'
import type { People } from '../identity/people.ts'
import type { Control } from '../store/control.ts'
import { unpacked } from '../store/person-export.ts'
import { mentions, textsNaming } from '../store/person-text.ts'
import type { DataSubject, PersonalDataPlace, StoredPlace } from '../store/personal-data.ts'
import {
  type AskedRow,
  emptyCallerIds,
  emptySubjects,
  selectAsked,
  selectCallbackTexts,
  updateCallbackBody,
  updateSubject,
} from './personal-data-store.ts'
import type { SubjectRow } from './store.ts'

const rowsPerRead = 500

/** Requests whose subject names the person by any value of theirs. */
export async function requestsNaming(control: Control, person: DataSubject): Promise<AskedRow[]> {
  const isTheirs = new Set([...person.bornIds, ...person.values])
  const found: AskedRow[] = []
  for (let after = ''; ; ) {
    const rows = await selectAsked(control, person.workspaceId, after, rowsPerRead)
    for (const row of rows) {
      const { person_id, identifiers } = row.subject
      const names = [...(person_id === null ? [] : [person_id]), ...identifiers.map(({ value }) => value)]
      if (names.some((name) => isTheirs.has(name))) found.push(row)
    }
    after = rows.at(-1)?.id ?? ''
    if (rows.length < rowsPerRead) return found
  }
}

/** What the person asked for, and what is still to be sent about it. They come last: they say who it is about. */
export function requestData(control: Control, people: Pick<People, 'bornId'>): PersonalDataPlace[] {
  return [callbackTable(control), requestTable(control, people)]
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
    exported: { because: 'the status of a request, on its way to whoever asked' },
  }
}

/**
 * That a request was made stays, about whom does not. One that is still to be done keeps the other people it names:
 * emptied whole, it would end as completed without having forgotten them.
 */
function requestTable(control: Control, people: Pick<People, 'bornId'>): StoredPlace {
  const find = async (person: DataSubject) => {
    const rows = await requestsNaming(control, person)
    const [open, closed] = partition(rows, (row) => isOpen(row) && row.id !== person.requestId)
    const changes = open.map((row) => ({ ...row, left: withoutPerson(people, person, row.subject) }))
    return { closed, open: changes.filter(({ left, subject }) => sizeOf(left) < sizeOf(subject)) }
  }
  return {
    kind: 'table',
    name: 'subject_requests',
    covers: { control: ['subject_requests'] },
    method: () => 'subject emptied',
    async count(person) {
      const { closed, open } = await find(person)
      return closed.length + open.length
    },
    async erase(person) {
      const { closed, open } = await find(person)
      const naming = [...closed, ...open].filter(
        ({ subject_request_id: own }) => own !== null && mentions(own, person.values),
      )
      const own = person.requestId === null ? [] : [person.requestId]
      const ids = [...closed.map(({ id }) => id), ...own]
      const { workspaceId } = person
      for (const { id, left } of open) await updateSubject(control, workspaceId, id, left)
      await emptySubjects(control, workspaceId, ids)
      await emptyCallerIds(
        control,
        workspaceId,
        naming.map(({ id }) => id),
      )
    },
    isAlwaysErased: true,
    exported: [{ name: 'requests', rows: (person) => earlierRequests(control, person) }],
  }
}

/** Without the one that the archive is made for, which stands in its manifest. */
async function* earlierRequests(control: Control, person: DataSubject) {
  for (const row of await requestsNaming(control, person)) if (row.id !== person.requestId) yield row
}

const isOpen = ({ status }: AskedRow): boolean => status === 'pending' || status === 'in_progress'
const sizeOf = ({ person_id, identifiers }: SubjectRow): number =>
  identifiers.length + (person_id === null ? 0 : 1)

/** By id as born, not by value: the same text may be another person's identifier of another type. */
function withoutPerson(
  people: Pick<People, 'bornId'>,
  { workspaceId, bornIds }: DataSubject,
  { person_id, identifiers }: SubjectRow,
): SubjectRow {
  const isTheirs = (type: string, value: string) =>
    bornIds.includes(people.bornId(workspaceId, { type, value }))
  return {
    person_id: person_id !== null && isTheirs('person_id', person_id) ? null : person_id,
    identifiers: identifiers.filter(({ type, value }) => !isTheirs(type, value)),
  }
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}
