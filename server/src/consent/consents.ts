import {
  type ConsentFacts,
  type ConsentInForce,
  type ConsentInput,
  type ConsentRegime,
  consentInContext,
  consentInput,
  nothingStated,
  type RawEvent,
} from '@assay/contract'
import { type Identifier, isOurs } from '../identity/graph/identifier.ts'
import type { People } from '../identity/people.ts'
import type { Clock } from '../platform/clock.ts'
import { RecentMap } from '../platform/recent-map.ts'
import type { Control } from '../store/control.ts'
import { type ConsentStatus, createSubjects, type Subjects, type WorkspaceSubjects } from './subjects.ts'

/** Consent of an event's people for the gate; empty if nothing restricts the event. */
export type GateConsent = { consent?: ConsentInput; suppressed?: boolean }

type ConsentSite = { consent_regime: ConsentRegime | null; on_denied: ConsentInput['onDenied'] }

export type ConsentJudge = {
  /** The consents of a workspace, synchronously when they are in memory. */
  of: (workspaceId: string) => WorkspaceConsents | Promise<WorkspaceConsents>
  /** The same for one event, however long it takes. */
  find: (workspaceId: string, event: RawEvent, site: ConsentSite, gpc: boolean) => Promise<GateConsent>
  /** Evicts original person ids: the workspace derives them with another key now. */
  forgetIds: () => void
}

export type WorkspaceConsents = {
  /** People who are not cached are requested; validate again after `fetchAsked`. */
  forEvent: (
    event: RawEvent,
    site: ConsentSite,
    gpc: boolean,
    nowMs: number,
    /** Further people concerned, such as the two ends of an alias. */
    others?: readonly Identifier[],
  ) => GateConsent
  /** Call right after validation, before anything else runs; null when everyone was cached. */
  fetchAsked: () => Promise<void> | null
}

type Consents = {
  subjects: Subjects
  consents: ConsentJudge
}

/** Who said what, and what the gate needs of it. */
export async function createConsents(
  control: Control,
  originalId: People['originalId'],
  now: Clock,
): Promise<Consents> {
  const subjects = await createSubjects(control, now)
  return {
    subjects,
    consents: createConsentJudge(subjects, originalId, now),
  }
}

/** Identifiers of current senders; about 200 bytes each, in two generations. */
const originalIdsMax = 50_000

export function createConsentJudge(
  subjects: Subjects,
  originalId: People['originalId'],
  now: Clock,
): ConsentJudge {
  const originalIds = new RecentMap<string>(originalIdsMax)
  const originalIdFor: People['originalId'] = (workspaceId, identifier) => {
    const key = `${workspaceId}\u0000${identifier.type}\u0000${identifier.value}`
    const known = originalIds.get(key)
    if (known !== undefined) return known
    const made = originalId(workspaceId, identifier)
    originalIds.set(key, made)
    return made
  }
  const made = new WeakMap<WorkspaceSubjects, WorkspaceConsents>()
  const wrap = (workspaceId: string, known: WorkspaceSubjects): WorkspaceConsents => {
    const before = made.get(known)
    if (before !== undefined) return before
    const consents: WorkspaceConsents = {
      forEvent: (event, site, gpc, nowMs, others = noOthers) => {
        if (known.isEmpty) return gateConsent(event, site, gpc, nobody)
        const originalIds = originalIdsOf(originalIdFor, workspaceId, event, others)
        return gateConsent(event, site, gpc, standingsOf(known, originalIds, nowMs))
      },
      fetchAsked: () => known.fetchMissing(),
    }
    made.set(known, consents)
    return consents
  }
  const of: ConsentJudge['of'] = (workspaceId) => {
    const known = subjects.of(workspaceId)
    return known instanceof Promise
      ? known.then((loaded) => wrap(workspaceId, loaded))
      : wrap(workspaceId, known)
  }
  return {
    of,
    forgetIds: () => originalIds.clear(),
    async find(workspaceId, event, site, gpc) {
      for (;;) {
        const consents = await of(workspaceId)
        const found = consents.forEvent(event, site, gpc, now())
        const fetching = consents.fetchAsked()
        if (fetching === null) return found
        await fetching
      }
    },
  }
}

const nobody: readonly ConsentStatus[] = []
const noOthers: readonly Identifier[] = []

/** Everyone whom the event names. An id that the endpoint derived from address and day is not a person. */
function originalIdsOf(
  originalIdFor: People['originalId'],
  workspaceId: string,
  event: RawEvent,
  others: readonly Identifier[],
): string[] {
  const { personId, userId, anonymousId } = event
  const found = others.map((identifier) => originalIdFor(workspaceId, identifier))
  if (personId !== undefined) {
    found.push(
      isOurs(personId) ? personId : originalIdFor(workspaceId, { type: 'person_id', value: personId }),
    )
  }
  if (userId !== undefined) found.push(originalIdFor(workspaceId, { type: 'user_id', value: userId }))
  if (anonymousId !== undefined && !event.isAnonymousIdDerived) {
    found.push(originalIdFor(workspaceId, { type: 'anonymous_id', value: anonymousId }))
  }
  return found
}

function standingsOf(
  known: WorkspaceSubjects,
  originalIds: readonly string[],
  nowMs: number,
): readonly ConsentStatus[] {
  return originalIds
    .map((originalId) => known.statusOf(originalId, nowMs))
    .filter((standing) => standing !== null)
}

function gateConsent(
  event: RawEvent,
  site: ConsentSite,
  gpc: boolean,
  standings: readonly ConsentStatus[],
): GateConsent {
  if (standings.length === 0 && event.context.consent === undefined) return ofStrangers(site, gpc)
  const said = consentInContext(event.context)
  const facts: ConsentFacts = {
    regime: site.consent_regime,
    records: recordsOf(standings),
    ofEvent: said?.stated ?? nothingStated,
    gpc: gpc || said?.gpc === true,
  }
  const consent = consentInput(facts, site.on_denied)
  return standings.some(({ isSuppressed }) => isSuppressed) ? { consent, suppressed: true } : { consent }
}

/** The latest first; of two people in one event, such as on a shared device, the one who chose last. */
function recordsOf(standings: readonly ConsentStatus[]): ConsentInForce[] {
  return standings
    .flatMap(({ record }) => (record === null ? [] : [record]))
    .sort((left, right) => right.effectiveMs - left.effectiveMs)
}

const anything: GateConsent = {}
// bounded: by regimes, acts and signals: a dozen.
const strangers = new Map<string, GateConsent>()

/** Most events belong to people without a record. There are only about a dozen answers for those. */
function ofStrangers({ consent_regime, on_denied }: ConsentSite, gpc: boolean): GateConsent {
  if (consent_regime === null) return anything
  const key = `${consent_regime} ${on_denied} ${gpc}`
  const known = strangers.get(key)
  if (known !== undefined) return known
  const facts: ConsentFacts = { regime: consent_regime, records: [], ofEvent: nothingStated, gpc }
  const made = { consent: consentInput(facts, on_denied) }
  strangers.set(key, made)
  return made
}
