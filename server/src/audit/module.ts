import type { AuditTrail } from '../http/access/audit-mark.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import { closeUnendedActs, createAuditTrail } from './audit.ts'
import { auditData } from './personal-data.ts'
import { auditRoutes } from './routes.ts'

type AuditModule = Module & { trail: AuditTrail }

/** Acts of a process that died are rare, and owners do not wait for them. */
const closeActsMs = 10 * 60_000

/** Who did what: every change that a person or a key makes. */
export function createAudit(platform: Platform): AuditModule {
  const { control, newId, now, countryOfRequest } = platform
  return {
    trail: createAuditTrail({ control, newId, now, countryOf: countryOfRequest }),
    routes: (plane) => auditRoutes(plane, platform),
    jobs: () => [[closeActsMs, 'audit log', () => closeUnendedActs(control, now)]],
    personalData: { copies: auditData(control) },
  }
}
