import type { ChannelRuleShape, ExclusionReason, PolicySettings, Touchpoint } from '@assay/contract'
import type { Static } from 'typebox'
import { dayMs, minuteMs } from '../../platform/units.ts'

type ChannelRules = readonly Static<typeof ChannelRuleShape>[]

/** Stored facts of an arrival. */
export type ArrivalFacts = {
  referrerHost: string
  utmSource: string
  utmMedium: string
  utmCampaign: string
  clickIdType: string
}

/** Names channel, source and medium of an arrival; null means the default grouping. */
export type Classify = (
  facts: ArrivalFacts,
  rules: ChannelRules | null,
) => { channel: string; source: string; medium: string }

export type Touch = ArrivalFacts & {
  id: string
  ms: number
  /** Breaks ties of time. */
  arrival: number
  siteId: string
  sessionKey: string
  /** Its original person. */
  originalId: string
  isBot: boolean
}

export type NamedTouch = Touch & { channel: string; source: string; medium: string }

export type Exclusion = { touch: NamedTouch; reason: ExclusionReason; duplicateOf: string | null }
export type Consideration = { considered: NamedTouch[]; excluded: Exclusion[] }

export type ConsiderationRules = Pick<
  PolicySettings,
  'lookback_days' | 'touchpoint_rules' | 'ignore_direct' | 'exclude_channels' | 'dedupe_window_min'
>

export const directChannel = 'Direct'

/** Start of the look-back window of an outcome. */
export function windowStartMs(outcomeMs: number, lookbackDays: number): number {
  return outcomeMs - lookbackDays * dayMs
}

/**
 * Splits touchpoints into those that share the outcome and those that do not, each with its reason. Their
 * order does not matter.
 */
export function consider(
  outcomeMs: number,
  touches: readonly Touch[],
  rules: ConsiderationRules,
  classify: Classify,
  isConsented: (touch: Touch) => boolean,
): Consideration {
  const excluded: Exclusion[] = []
  const fromMs = windowStartMs(outcomeMs, rules.lookback_days)
  const excludes = new Set(rules.exclude_channels)
  const left = onePerSession(touches)
    .map((touch) => ({ ...touch, ...classify(touch, rules.touchpoint_rules) }))
    .filter((touch) => {
      const reason = reasonAgainst(touch, fromMs, outcomeMs, excludes, isConsented)
      if (reason !== null) excluded.push({ touch, reason, duplicateOf: null })
      return reason === null
    })
  const named = rules.ignore_direct ? withoutDirect(left, excluded) : left
  const considered = withoutRepeats(named, rules.dedupe_window_min * minuteMs, excluded)
  return { considered, excluded: excluded.sort((one, other) => byTime(one.touch, other.touch)) }
}

function reasonAgainst(
  touch: NamedTouch,
  fromMs: number,
  outcomeMs: number,
  excludes: ReadonlySet<string>,
  isConsented: (touch: Touch) => boolean,
): ExclusionReason | null {
  if (touch.ms > outcomeMs) return 'after_outcome'
  if (touch.ms < fromMs) return 'outside_window'
  if (touch.isBot) return 'bot'
  if (!isConsented(touch)) return 'consent_denied'
  return excludes.has(touch.channel) ? 'channel_excluded' : null
}

/** Direct visits count only if nothing else is known. */
function withoutDirect(touches: readonly NamedTouch[], excluded: Exclusion[]): readonly NamedTouch[] {
  const others = touches.filter(({ channel }) => channel !== directChannel)
  if (others.length === 0) return touches
  for (const touch of touches) {
    if (touch.channel === directChannel) excluded.push({ touch, reason: 'direct_ignored', duplicateOf: null })
  }
  return others
}

/** The same arrival again within the window, such as a reloaded page, counts as one. */
function withoutRepeats(
  touches: readonly NamedTouch[],
  windowMs: number,
  excluded: Exclusion[],
): NamedTouch[] {
  const latest = new Map<string, NamedTouch>()
  const kept: NamedTouch[] = []
  for (const touch of touches) {
    const key = [touch.channel, touch.source, touch.utmCampaign, touch.siteId].join('\u0001')
    const before = latest.get(key)
    if (before !== undefined && windowMs > 0 && touch.ms - before.ms < windowMs) {
      excluded.push({ touch, reason: 'duplicate_of', duplicateOf: before.id })
      continue
    }
    latest.set(key, touch)
    kept.push(touch)
  }
  return kept
}

function byTime(left: Touch, right: Touch): number {
  const byId = left.id < right.id ? -1 : left.id > right.id ? 1 : 0
  return left.ms - right.ms || left.arrival - right.arrival || byId
}

function isBare({ referrerHost, utmSource, utmMedium, utmCampaign, clickIdType }: ArrivalFacts): boolean {
  return referrerHost + utmSource + utmMedium + utmCampaign + clickIdType === ''
}

/** A session over midnight was read on both days; its first attributable event is used. */
function onePerSession(touches: readonly Touch[]): Touch[] {
  const best = new Map<string, Touch>()
  for (const touch of touches.toSorted(byTime)) {
    const known = best.get(touch.sessionKey)
    if (known === undefined || (isBare(known) && !isBare(touch))) best.set(touch.sessionKey, touch)
  }
  return [...best.values()].sort(byTime)
}

export function toTouchpoint(touch: NamedTouch): Touchpoint {
  return {
    id: touch.id,
    at: new Date(touch.ms).toISOString(),
    site_id: touch.siteId,
    channel: touch.channel,
    source: touch.source,
    medium: touch.medium,
    campaign: touch.utmCampaign,
    click_id_type: touch.clickIdType,
    referrer_host: touch.referrerHost,
    person_id: touch.originalId,
  }
}
