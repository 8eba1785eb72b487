import { createRecentCache, type RecentCache } from '../../../platform/recent-cache.ts'
import { readPage } from '../page.ts'
import { boundText } from '../text.ts'
import type { Campaign, Utm } from './campaign.ts'
import { type ChannelFacts, type ChannelRule, channelOf, defaultChannelRules } from './channel-rules.ts'
import { type ClickIdMeaning, type ClickIdType, clickIdMeanings, clickIdNames } from './click-ids.ts'
import { findSource, type KnownSource, registeredDomain } from './known-source.ts'

export interface TrafficFacts {
  readonly referrer: string
  readonly host: string
  readonly siteDomain: string
  readonly utm: Utm
  readonly clickIdType: ClickIdType | ''
}

/** Where a visit came from. `source` is what a report shows; the UTM fields as sent are stored too. */
export interface Traffic {
  readonly channel: string
  readonly source: string
  readonly medium: string
  readonly referrerHost: string
}

/** Longer names are not distinguished in a report. */
const nameCharsMax = 256

export function classifyTraffic(
  facts: TrafficFacts,
  rules: readonly ChannelRule[] = defaultChannelRules,
): Traffic {
  const { host, domain } = readPage(facts.referrer)
  const pageDomain = facts.host === '' ? '' : registeredDomain(facts.host)
  const referrerHost = isOwn(domain, pageDomain, facts.siteDomain) ? '' : host
  return classifyArrival(referrerHost, facts, rules)
}

/** A referrer within the site's own domain is a step within a visit, not its source. */
export function isOwn(domain: string, pageDomain: string, siteDomain: string): boolean {
  if (domain === '') return false
  return domain === pageDomain || (siteDomain !== '' && domain === registeredDomain(siteDomain))
}

/** The same, for callers that have already parsed the URLs. */
export function classifyArrival(
  referrerHost: string,
  { utm, clickIdType }: Pick<Campaign, 'utm' | 'clickIdType'>,
  rules: readonly ChannelRule[],
): Traffic {
  const isTagged = clickIdType !== '' || utm.source !== '' || utm.medium !== '' || utm.campaign !== ''
  if (referrerHost === '' && !isTagged) return direct
  const arrivals = rememberedBy(rules)
  const key = isTagged
    ? `${referrerHost}\n${clickIdType}\n${utm.source}\n${utm.medium}\n${utm.campaign}`
    : referrerHost
  const known = arrivals.get(key)
  if (known !== undefined) return known
  const origin = originOf(utm, clickIdType, referrerHost)
  const channel = channelOf(origin, rules)
  const traffic = { channel, source: sourceLabel(origin, channel), medium: origin.medium, referrerHost }
  arrivals.set(key, traffic)
  return traffic
}

/** Classifies stored columns again, by the default rules or by others. */
export function classifyStored(
  facts: {
    referrerHost: string
    utmSource: string
    utmMedium: string
    utmCampaign: string
    clickIdType: string
  },
  rules: readonly ChannelRule[] | null,
): Traffic {
  const { referrerHost, utmSource: source, utmMedium: medium, utmCampaign: campaign } = facts
  const clickIdType = clickIdNames.find((name) => name === facts.clickIdType) ?? ''
  const utm = { source, medium, campaign, term: '', content: '' }
  return classifyArrival(referrerHost, { utm, clickIdType }, rules ?? defaultChannelRules)
}

/** A rule table lives as long as its site's settings; its cached answers go with it. */
const arrivalsByRules = new WeakMap<readonly ChannelRule[], RecentCache<Traffic>>()

/** Distinct combinations of referrer and campaign that arrive within minutes of each other. */
const rememberedArrivals = 4_096

function rememberedBy(rules: readonly ChannelRule[]): RecentCache<Traffic> {
  const known = arrivalsByRules.get(rules)
  if (known !== undefined) return known
  const arrivals = createRecentCache<Traffic>(rememberedArrivals)
  arrivalsByRules.set(rules, arrivals)
  return arrivals
}

const direct: Traffic = Object.freeze({ channel: 'Direct', source: 'Direct', medium: '', referrerHost: '' })

/** A campaign may name `direct` itself, or a medium without a source. */
function sourceLabel(origin: ChannelFacts, channel: string): string {
  if (channel === direct.channel) return direct.source
  return origin.source === '' ? '(not set)' : origin.source
}

/** UTM fields are set by the sender and win; then the ad platform's click id; then the referrer. */
function originOf(utm: Utm, clickIdType: ClickIdType | '', referrerHost: string): ChannelFacts {
  const click = clickIdType === '' ? undefined : clickIdMeanings[clickIdType]
  const campaign = lower(utm.campaign)
  const medium = lower(utm.medium)
  if (utm.source !== '') {
    const known = findSource(lower(utm.source))
    const source = known?.name ?? lower(utm.source)
    const isClicked = click !== undefined && click.source === source
    const bought = isClicked ? click.medium : known?.isPaid ? paidMedium : ''
    return { source, medium: medium || bought, campaign, category: known?.category ?? '', clickIdType }
  }
  if (click !== undefined) {
    const { source, medium: clickMedium, category } = clickedSource(click, referrerHost)
    return { source, medium: medium || clickMedium, campaign, category, clickIdType }
  }
  if (referrerHost === '') return { source: '', medium, campaign, category: '', clickIdType }
  const known = findSource(referrerHost)
  const source = known?.name ?? boundText(registeredDomain(referrerHost).replace(/^www\./, ''), nameCharsMax)
  return { source, medium: medium || mediumOf(known), campaign, category: known?.category ?? '', clickIdType }
}

/** Google's click id also marks ads inside YouTube, where the referrer distinguishes the two. */
function clickedSource(
  click: ClickIdMeaning,
  referrerHost: string,
): Pick<ChannelFacts, 'source' | 'medium' | 'category'> {
  const referring = referrerHost === '' ? null : findSource(referrerHost)
  const isVideo = click.source === 'google' && referring?.category === 'video'
  const isInstagram = click.source === 'facebook' && referring?.category === 'social'
  const source = (isVideo || isInstagram) && referring !== null ? referring : findSource(click.source)
  return { source: source?.name ?? click.source, medium: click.medium, category: source?.category ?? '' }
}

/** The medium of ads without a stated payment model. */
const paidMedium = 'cpc'

function mediumOf(known: KnownSource | null): string {
  if (known?.isPaid) return paidMedium
  if (known?.category === 'search') return 'organic'
  return known?.category === 'email' ? 'email' : 'referral'
}

function lower(text: string): string {
  return text === '' ? '' : boundText(text.trim().toLowerCase(), nameCharsMax)
}
