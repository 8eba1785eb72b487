import type { FastifyRequest } from 'fastify'
import type { Accounts } from '../auth/auth.ts'
import type { Kept } from '../analytics/cache/report-cache.ts'
import type { Reckoner } from '../analytics/sequences/compute-worker.ts'
import type { Attribution } from '../attribution/attribution.ts'
import type { ConsentJudge, Consents } from '../consent/consents.ts'
import type { Subjects } from '../consent/subjects.ts'
import type { Demos } from '../demo/demo.ts'
import type { Outgoing } from '../destinations/outgoing.ts'
import type { Health } from '../event-health/health.ts'
import type { Allowed } from '../event-health/usage.ts'
import type { AuditTrail } from '../http/access/audited.ts'
import type { Freshness } from '../http/fresh-read.ts'
import type { People } from '../identity/people.ts'
import type { DeadLetters } from '../ingest/dead-letters/dead-letters.ts'
import type { LetterDecisions } from '../ingest/dead-letters/decisions.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { Writer } from '../ingest/loader/loader.ts'
import type { Decisions } from '../quarantine/decisions.ts'
import type { EventLog } from '../ingest/wal/write-ahead-log.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import type { Failures } from '../platform/failures.ts'
import type { Logger } from '../platform/logger.ts'
import type { TellNotice } from '../platform/notices.ts'
import type { Privacy } from '../privacy/privacy.ts'
import type { Backfills } from '../registry/backfills/backfills.ts'
import type { Overlays } from '../registry/backfills/overlays.ts'
import type { Superseded } from '../registry/backfills/superseded.ts'
import type { Elements } from '../registry/catalog/elements.ts'
import type { HeldEvents } from '../registry/contracts/held.ts'
import type { Registry } from '../registry/registry.ts'
import type { Replays } from '../replays/replays.ts'
import type { Rates } from '../sites/exchange-rates.ts'
import type { SiteRow, Sites } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import type { Filling } from '../transfers/import/import-lock.ts'
import type { Transfers } from '../transfers/transfers.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'

/** Everything a room's routes may need, made once at start and passed in. */
export type Deps = Accounts &
  Transfers & {
    control: Control
    events: Events
    sites: Sites
    /** What workspaces say other currencies are worth. */
    rates: Rates
    registry: Registry
    elements: Elements
    /** What back-fills lay over the events of sites. */
    overlays: Overlays
    superseded: Superseded
    people: People
    /** People who said what may be done with their data, or who asked to be forgotten. */
    subjects: Subjects
    consents: ConsentJudge
    consentOf: Consents['consentOf']
    privacy: Privacy
    backfills: Backfills
    ingest: Ingest
    quarantine: Decisions
    /** The same, as far as the registry needs it. */
    held: HeldEvents
    /** Answers of reads that are dear to make. */
    kept: Kept
    /** Drops those of a workspace, on every node. */
    forgetKept: (workspaceId: string) => Promise<void>
    /** Reckons ways through a site beside the main thread. */
    reckoner: Reckoner
    log: EventLog
    writer: Writer
    /** How far the store has come. */
    freshness: Freshness
    /** Lines of the log that no store took. */
    deadLetters: DeadLetters
    letterDecisions: LetterDecisions
    /** Where failures are reported that no caller hears of. */
    failures: Failures
    logger: Logger
    audit: AuditTrail
    webhooks: Webhooks
    /** Recorded visits. */
    replays: Replays
    attribution: Attribution
    outgoing: Outgoing
    /** Publishes a notice to those destinations that want it. */
    tellNotice: TellNotice
    /** Workspaces with a destination that wants this notice. */
    wantNotice: Outgoing['destinations']['wanting']
    health: Health
    /** What the operator allows everybody. */
    allowed: Allowed
    /** Workspaces with made-up traffic. */
    demos: Demos
    filling: Filling
    /** The country of an address, without asking anybody. */
    countryOf: (ip: string) => string
    /** Whether a proxy that the operator named hands this request on: then its word for the country counts. */
    isFromProxy: (request: FastifyRequest) => boolean
    requireSite: (workspaceId: string, siteId: string) => Promise<SiteRow>
    now: Clock
    newId: NewId
    /** Where this product is reached from outside; known once it listens. */
    publicUrl: () => string
    /** The same of the data plane. */
    dataUrl: () => string
  }
