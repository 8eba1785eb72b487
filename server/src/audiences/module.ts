import type { Module } from '../platform/module.ts'
import type { RequireSite } from '../sites/sites.ts'
import type { AudienceWorld } from './audiences.ts'
import { audienceJobs } from './jobs.ts'
import { audienceData } from './personal-data.ts'
import { audienceRoutes } from './routes.ts'

type Needs = { reading: AudienceWorld & { requireSite: RequireSite } }

/** Groups of people by what they did, kept up to date. */
export function createAudiences({ reading }: Needs): Module {
  return {
    routes: (plane) => audienceRoutes(plane, reading),
    jobs: () => audienceJobs(reading),
    personalData: { copies: audienceData(reading.events) },
  }
}
