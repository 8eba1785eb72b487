import type { People } from '../identity/people.ts'
import type { Control } from '../store/control.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import { forgetConsents } from './erasure.ts'
import { allConsents } from './history.ts'
import { countConsentsOf, countSubjectsOf } from './store.ts'
import type { Subjects } from './subjects.ts'

/** Consent records of people, and whether there is anything to look up about them. */
export function consentData(world: {
  control: Control
  people: People
  subjects: Subjects
}): PersonalDataPlace[] {
  const { control, people } = world
  return [
    {
      kind: 'table',
      name: 'consents',
      covers: { control: ['consents'] },
      method: () => 'deleted',
      count: ({ workspaceId, bornIds }) => countConsentsOf(control, workspaceId, bornIds),
      erase: ({ workspaceId, bornIds }) => forgetConsents(world, workspaceId, bornIds),
      exported: [
        { name: 'consents', rows: ({ workspaceId, bornIds }) => allConsents(people, workspaceId, bornIds) },
      ],
    },
    {
      kind: 'table',
      name: 'consent_subjects',
      covers: { control: ['consent_subjects'] },
      method: () => 'deleted',
      count: ({ workspaceId, bornIds }) => countSubjectsOf(control, workspaceId, bornIds),
      erase: ({ workspaceId, bornIds }) => forgetConsents(world, workspaceId, bornIds),
      exported: { because: 'it says only that there is something to ask about them: consents.ndjson' },
    },
  ]
}
