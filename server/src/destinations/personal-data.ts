import { isRecord } from '@assay/contract'
import type { Control } from '../store/control.ts'
import type { DataSubject } from '../store/people/data-subject.ts'
import { unpacked } from '../store/people/person-export.ts'
import { textsNaming } from '../store/people/person-text-table.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import {
  countDispatchesOf,
  deleteDispatchesOf,
  selectDispatchesOf,
  selectEventsOfOthers,
  updateBody,
} from './personal-data-store.ts'

/** What is queued for customers' URLs, or was sent recently. */
export function dispatchData(control: Control): PersonalDataPlace[] {
  return [
    {
      kind: 'table',
      name: 'dispatches',
      covers: { control: ['dispatches'] },
      method: () => 'deleted',
      count: ({ workspaceId, originalIds }) => countDispatchesOf(control, workspaceId, originalIds),
      erase: ({ workspaceId, originalIds }) => deleteDispatchesOf(control, workspaceId, originalIds),
      exported: [{ name: 'dispatches', rows: (person) => queued(control, person) }],
    },
    {
      kind: 'table',
      name: 'dispatches_of_others',
      isOfOthers: true,
      covers: {},
      method: () => 'identifiers emptied',
      async count(person) {
        let rows = 0
        for await (const _ of ofOthers(control, person)) rows += 1
        return rows
      },
      async erase(person) {
        for await (const { id, body } of ofOthers(control, person)) {
          await updateBody(control, person.workspaceId, id, body)
        }
      },
      exported: { because: 'they are events of other people' },
    },
  ]
}

const rowsPerRead = 500

async function* queued(control: Control, { workspaceId, originalIds }: DataSubject) {
  let after = ''
  for (;;) {
    const rows = await selectDispatchesOf(control, workspaceId, originalIds, after, rowsPerRead)
    for (const { body, ...row } of rows) yield { ...row, body: unpacked(body) }
    after = rows.at(-1)?.id ?? ''
    if (rows.length < rowsPerRead) return
  }
}

/** Events of others that carry the person's device or user id, with the body that they have without it. */
async function* ofOthers(
  control: Control,
  person: DataSubject,
): AsyncGenerator<{ id: string; body: string }> {
  const isTheirs = new Set(person.originalIds)
  const values = new Set<unknown>(person.values)
  for await (const { id, text, person_id } of textsNaming(control, selectEventsOfOthers, person)) {
    const body = isTheirs.has(person_id) ? null : unpacked(text)
    if (!isRecord(body) || !isRecord(body.data)) continue
    const { user_id, anonymous_id } = body.data
    if (!values.has(user_id) && !values.has(anonymous_id)) continue
    const without = (value: unknown) => (values.has(value) ? null : value)
    const data = { ...body.data, user_id: without(user_id), anonymous_id: without(anonymous_id) }
    yield { id, body: JSON.stringify({ ...body, data }) }
  }
}
