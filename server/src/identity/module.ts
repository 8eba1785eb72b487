import type { Person } from '@assay/contract'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import type { RegistryModule } from '../registry/module.ts'
import type { SitesModule } from '../sites/module.ts'
import { identityJobs } from './jobs.ts'
import { createPeople, type People } from './people.ts'
import type { MatchPeople } from './people-list/filter.ts'
import { identityData, noteData } from './personal-data.ts'
import { identityRoutes } from './routes.ts'

type Needs = {
  registry: Pick<RegistryModule, 'overlays'>
  sites: Pick<SitesModule, 'requireSite'>
  /** What a person said about their data, under any of these ids. */
  consentOf: (workspaceId: string, originalIds: readonly string[]) => Promise<Person['consent']>
}
export type IdentityModule = Module & {
  people: People
  /** Takes the filters of the list of people, which modules above this one understand. */
  useFilters: (match: MatchPeople) => void
}

/** Who is behind an event: identifiers, merges that can be reversed, profiles. */
export async function createIdentity(
  platform: Platform,
  { registry, sites, consentOf }: Needs,
): Promise<IdentityModule> {
  const people = await createPeople(platform)
  const { requireSite } = sites
  let filters: MatchPeople | null = null
  const matchPeople: MatchPeople = (scope) => {
    if (filters === null) throw new Error('The list of people has no filters: useFilters was not called')
    return filters(scope)
  }
  const needs = { ...platform, people, overlays: registry.overlays, requireSite, consentOf, matchPeople }
  return {
    people,
    useFilters: (match) => {
      filters = match
    },
    routes: (plane) => identityRoutes(plane, needs),
    jobs: ({ removalNowMs }) => identityJobs({ people, removalNowMs }),
    personalData: { copies: noteData(people), identity: identityData({ ...platform, people }) },
    workspaceGone: (workspaceId) => people.mapping.forget(workspaceId),
  }
}
