import type { IdentityModule } from '../identity/module.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import type { SitesModule } from '../sites/module.ts'
import { type ConsentJudge, createConsents } from './consents.ts'
import { consentData } from './personal-data.ts'
import { consentRoutes } from './routes.ts'
import type { Subjects } from './subjects.ts'

type Needs = { identity: IdentityModule; sites: SitesModule }
export type ConsentModule = Module & {
  /** People who said what may be done with their data, or who asked to be forgotten. */
  subjects: Subjects
  consents: ConsentJudge
}

/** What people allow, and the proof of it. */
export async function createConsent(
  platform: Platform,
  { identity: { people }, sites }: Needs,
): Promise<ConsentModule> {
  const { control, now } = platform
  const { subjects, consents } = await createConsents(control, people.originalId, now)
  const needs = { ...platform, people, subjects }
  return {
    subjects,
    consents,
    routes: (plane) => consentRoutes(plane, { ...needs, sites: sites.known, requireSite: sites.requireSite }),
    personalData: { copies: consentData(needs) },
    workspaceGone: (workspaceId) => {
      subjects.forget(workspaceId)
      consents.forgetIds()
    },
  }
}
