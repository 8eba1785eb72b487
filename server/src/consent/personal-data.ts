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
      count: ({ workspaceId, originalIds }) => countConsentsOf(control, workspaceId, originalIds),
      erase: ({ workspaceId, originalIds }) => forgetConsents(world, workspaceId, originalIds),
      exported: [
        {
          name: 'consents',
          rows: ({ workspaceId, originalIds }) => allConsents(people, workspaceId, originalIds),
        },
      ],
    },
    {
      kind: 'table',
      name: 'consent_subjects',
      covers: { control: ['consent_subjects'] },
      method: () => 'deleted',
      count: ({ workspaceId, originalIds }) => countSubjectsOf(control, workspaceId, originalIds),
      erase: ({ workspaceId, originalIds }) => forgetConsents(world, workspaceId, originalIds),
      exported: { because: 'it says only that there is something to ask about them: consents.ndjson' },
    },
  ]
}
