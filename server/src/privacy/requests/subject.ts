import { invalidParameter } from '@assay/contract'
import { normalise } from '../../identity/graph/normal-form.ts'
import type { People } from '../../identity/people.ts'
import { type Finder, findPerson, requireOriginal } from '../../identity/profiles/person.ts'
import type { SubjectRow } from './store.ts'

/** Everyone whom a request means: the current people, and all original ids of their events. */
export type Subject = { personIds: string[]; originalIds: string[] }

type SubjectInput = { person_id?: string; identifiers?: readonly { type: string; value: string }[] }

/** Refuses values that identify no one, and unknown ids of ours. */
export async function readSubject(
  people: People,
  workspaceId: string,
  asked: SubjectInput,
): Promise<SubjectRow> {
  if ((asked.person_id === undefined) === (asked.identifiers === undefined)) {
    throw invalidParameter('person_id', 'must be given, or else identifiers, and only one of them')
  }
  const identifiers = (asked.identifiers ?? []).map(({ type, value }, index) => {
    const found = normalise({ type, value })
    if ('refused' in found) throw invalidParameter(`identifiers[${index}].value`, 'identifies no one')
    return { type, value: found.value }
  })
  if (asked.person_id === undefined) return { person_id: null, identifiers }
  const { originalId } = await requireOriginal(people, workspaceId, asked.person_id)
  return { person_id: originalId, identifiers }
}

/** As it stands now: people may have been merged since the request was made. */
export async function findSubject(people: Finder, workspaceId: string, asked: SubjectRow): Promise<Subject> {
  const roots = [
    ...(asked.person_id === null ? [] : [asked.person_id]),
    ...asked.identifiers.map(({ type, value }) => people.originalId(workspaceId, { type, value })),
  ]
  const personIds = new Set<string>()
  const originalIds = new Set<string>()
  for (const root of roots) {
    const whole = await findPerson(people, workspaceId, root)
    personIds.add(whole?.personId ?? root)
    for (const originalId of [root, ...(whole?.originalIds ?? [])]) originalIds.add(originalId)
  }
  return { personIds: [...personIds], originalIds: [...originalIds] }
}
