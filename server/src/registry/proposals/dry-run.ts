import {
  type BotReason,
  boundIssues,
  type EventReading,
  type Input,
  judgeReading,
  type Known,
  type Outcome,
  type Output,
  Problem,
  type RawEvent,
  readTrack,
  requireSmallContext,
  severityRanks,
  type Verdict,
  type validateEvents,
  withoutAlias,
} from '@assay/contract'
import type { ConsentJudge, GateConsent } from '../../consent/consents.ts'
import type { Principal } from '../../http/access/principal.ts'
import { siteForKey, siteNamedBy } from '../../sites/named-site.ts'
import type { SiteRow, Sites } from '../../sites/sites.ts'
import type { Registry } from '../registry.ts'

type Body = Input<typeof validateEvents>['body']
type Answer = Output<typeof validateEvents>
type Validated = Omit<Answer['results'][number], 'issues'> & { issues: Verdict['issues'] }
/** What events are judged by. */
export type Judges = {
  registry: Registry
  consents: ConsentJudge
  botReasonOf: (event: RawEvent) => BotReason | undefined
}

/** What `/v1/track` and `/v1/batch` would say with a secret key; nothing is stored, and nothing is deduplicated. */
export async function judgeForNothing(
  { registry, consents, botReasonOf }: Judges,
  sites: Sites,
  caller: Principal,
  body: Body,
  bodyCharacters: number,
  receivedAt: number,
): Promise<Answer> {
  const { inputs, shared } = readInputs(body)
  const results: Validated[] = []
  for (const [index, input] of inputs.entries()) {
    const site = await siteForKey(sites, caller, siteNamedBy(input) ?? siteNamedBy(body))
    const reading = withoutAlias(readTrack(input, shared))
    const wish =
      reading.kind === 'event' ? await consents.find(caller.workspaceId, reading.event, site, false) : {}
    const botReason = reading.kind === 'event' ? botReasonOf(reading.event) : undefined
    const moment = { ...wish, ...(botReason !== undefined && { botReason }), receivedAt }
    const verdict = await judgeAtSite(registry, caller.workspaceId, site, reading, moment)
    results.push({
      index,
      outcome: verdict.outcome,
      name: verdict.name,
      contract_version: verdict.contractVersion,
      issues: verdict.issues,
      properties: verdict.properties,
    })
  }
  const bounded = boundIssues(results, bodyCharacters).map((one) => ({ ...one, issues: [...one.issues] }))
  return { outcome: worstOf(results.map((result) => result.outcome)), results: bounded }
}

type Inputs = { inputs: readonly unknown[]; shared: { sentAt?: unknown; context?: unknown } }

/** `{event: {…}}`, `{batch: […]}`, or the event itself, whose `event` is then its name. */
function readInputs(body: Body): Inputs {
  const wire: Readonly<Record<string, unknown>> = body
  if (body.batch !== undefined && body.event !== undefined) {
    throw unclear('Send either event or batch, not both.')
  }
  if (body.batch !== undefined) {
    const sentAt = wire.sent_at ?? wire.sentAt
    const { context } = wire
    requireSmallContext(context)
    return {
      inputs: body.batch,
      shared: { ...(sentAt !== undefined && { sentAt }), ...(context !== undefined && { context }) },
    }
  }
  const isWireEvent = [wire.event, wire.event_key, wire.type].some((name) => typeof name === 'string')
  if (isWireEvent) return { inputs: [body], shared: {} }
  if (body.event !== undefined) return { inputs: [body.event], shared: {} }
  throw unclear('Send one event as event, or several as batch.')
}

function unclear(detail: string): Problem {
  return new Problem('invalid-parameter', {
    detail,
    errors: [{ field: 'event', message: 'must be given, unless batch is' }],
  })
}

/** Code made for an older version is judged by that one, which may have to be fetched first. */
async function judgeAtSite(
  registry: Registry,
  workspaceId: string,
  { id: siteId }: SiteRow,
  reading: EventReading,
  moment: GateConsent & Pick<Known, 'receivedAt' | 'botReason'>,
) {
  const known = await registry.knowledge(workspaceId, siteId)
  const judged = judgeReading(reading, { ...known, ...moment, keyClass: 'secret' })
  const fetching = registry.fetchAskedVersions(workspaceId)
  if (fetching === null) return judged
  await fetching
  return judgeReading(reading, { ...known, ...moment, keyClass: 'secret' })
}

function worstOf(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce<Outcome>(
    (worst, each) => (severityRanks[each] > severityRanks[worst] ? each : worst),
    'accept',
  )
}
