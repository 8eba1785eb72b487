import type { BotReason } from '@assay/contract'
import { type Agent, readAgent } from './agent.ts'
import type { Device } from './agent-marks.ts'
import { type Located, locate, moreOf, nowhereKnown, placeOfLocation } from './country/place.ts'
import { noPage, type Page, pageFromParts, readPage } from './page.ts'
import type { RequestFacts } from './request-facts.ts'
import { type Campaign, campaignOfMembers, campaignOfProperties, noCampaign } from './source/campaign.ts'
import { classifyArrival, isOwn, type Traffic } from './source/channel.ts'
import { type ChannelRule, defaultChannelRules } from './source/channel-rules.ts'
import { deviceOfType, type Surface, surfaceOf } from './surface.ts'
import { type Members, membersOf, textOf } from './text.ts'

/** An event from the envelope; `properties` and `context` are any JSON. */
export interface EnrichableEvent {
  readonly name: string
  readonly properties: unknown
  readonly context: unknown
  readonly userAgent?: string
}

interface EnrichSite {
  readonly domain: string
  readonly channelRules?: readonly ChannelRule[]
}

/**
 * Derived columns stored with an event, so that reports need not parse it again. No IP address, no user
 * agent.
 */
export interface Enriched {
  readonly url: string
  readonly host: string
  readonly path: string
  readonly title: string
  readonly referrer: string
  readonly referrerHost: string
  readonly utmSource: string
  readonly utmMedium: string
  readonly utmCampaign: string
  readonly utmTerm: string
  readonly utmContent: string
  readonly clickIdType: string
  readonly clickId: string
  readonly channel: string
  readonly source: string
  readonly country: string
  readonly countryIsApproximate: boolean
  /** As in `Place`; empty where the country is a guess. */
  readonly region: string
  readonly city: string
  readonly device: Device
  readonly browser: string
  readonly browserVersion: string
  readonly os: string
  readonly isBot: boolean
  readonly botReason: string
  readonly locale: string
  readonly release: string
  readonly sdkName: string
  readonly sdkVersion: string
  readonly surface: Surface
}

/** Derives columns of an event from its page, request and context. Total on any JSON, and deterministic. */
export function enrichEvent(
  event: EnrichableEvent,
  request: RequestFacts,
  site: EnrichSite,
  known?: Program,
): Enriched {
  const context = membersOf(event.context)
  const properties = membersOf(event.properties)
  const contextPage = membersOf(context.page)
  const app = membersOf(context.app)
  const library = membersOf(context.library)
  const page = pageOf(contextPage, properties)
  const campaign = campaignOf(page, context, properties)
  const referrer = referrerOf(contextPage, properties)
  const osName = textOf(membersOf(context.os).name, nameCharsMax)
  const deviceType = textOf(membersOf(context.device).type, nameCharsMax)
  const sdkName = textOf(library.name, nameCharsMax)
  const program = known ?? programIn(event, context, request, () => page.host !== '')
  const { surface, agent } = program
  const traffic = trafficOf(surface, page, referrer, campaign, site)
  const { place, isApproximate } = placeIn(context, request)
  return {
    url: page.url,
    host: page.host,
    path: page.path,
    title: textOf(contextPage.title) || textOf(properties.title),
    referrer: referrer.url,
    referrerHost: traffic.referrerHost,
    utmSource: campaign.utm.source,
    utmMedium: campaign.utm.medium,
    utmCampaign: campaign.utm.campaign,
    utmTerm: campaign.utm.term,
    utmContent: campaign.utm.content,
    clickIdType: campaign.clickIdType,
    clickId: campaign.clickId,
    channel: traffic.channel,
    source: traffic.source,
    country: place.country,
    countryIsApproximate: isApproximate,
    region: place.region,
    city: place.city,
    device: agent.isBot ? agent.device : deviceOfType(deviceType) || agent.device,
    browser: agent.browser,
    browserVersion: agent.browserVersion,
    os: osName || agent.os,
    isBot: agent.isBot,
    botReason: agent.botReason,
    locale: localeOf(context, request),
    release: textOf(app.version, nameCharsMax) || textOf(properties.release, nameCharsMax),
    sdkName,
    sdkVersion: textOf(library.version, nameCharsMax),
    surface,
  }
}

/** What sent an event: the kind of program, and the visitor's browser. */
export interface Program {
  readonly surface: Surface
  readonly agent: Agent
}

/**
 * The program of an event before it is validated. It is final unless the page decided: validation may change the
 * properties that name it.
 */
export function programOf(
  event: EnrichableEvent,
  request: RequestFacts,
): { program: Program; isFinal: boolean } {
  const context = membersOf(event.context)
  let isFinal = true
  const program = programIn(event, context, request, () => {
    isFinal = false
    return pageOf(membersOf(context.page), membersOf(event.properties)).host !== ''
  })
  return { program, isFinal }
}

function programIn(
  event: EnrichableEvent,
  context: Members,
  request: RequestFacts,
  hasPage: () => boolean,
): Program {
  const surface = surfaceIn(context, request, hasPage)
  return { surface, agent: agentOf(event, context, request, surface) }
}

/**
 * Why reports leave an event out, before it is stored; undefined if it counts. The same as in `enrichEvent`.
 */
export function botReasonOf(event: EnrichableEvent, request: RequestFacts): BotReason | undefined {
  return reasonOf(programOf(event, request).program)
}

export function reasonOf({ agent: { botReason } }: Program): BotReason | undefined {
  return botReason === '' ? undefined : botReason
}

function surfaceIn(context: Members, { credential }: RequestFacts, hasPage: () => boolean): Surface {
  return surfaceOf({
    credential,
    libraryName: textOf(membersOf(context.library).name, nameCharsMax),
    osName: textOf(membersOf(context.os).name, nameCharsMax),
    deviceType: textOf(membersOf(context.device).type, nameCharsMax),
    hasPage,
    hasApp: context.app !== undefined,
  })
}

/** Names of programs and systems; a longer text is not a name. */
const nameCharsMax = 128

/** The SDK writes the context; a property `url` may have the customer's own meaning and comes second. */
function pageOf(contextPage: Members, properties: Members): Page {
  const url = addressOf(contextPage.url) || addressOf(properties.url)
  if (url !== '') return readPage(url)
  return pageFromParts(textOf(contextPage.path) || textOf(properties.path), textOf(contextPage.search))
}

/** The path of an event's page, as it is stored; empty without one. */
export function pathOf({ context, properties }: Pick<EnrichableEvent, 'context' | 'properties'>): string {
  return pageOf(membersOf(membersOf(context).page), membersOf(properties)).path
}

/** URLs are truncated after parsing, since a campaign may come after 2 KB of other parameters. */
function addressOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A referrer without a host (`$direct`, `null`, a bare path) is ignored. */
function referrerOf(contextPage: Members, properties: Members): Page {
  const address = addressOf(contextPage.referrer) || addressOf(properties.referrer)
  if (address === '') return noPage
  const referrer = readPage(address)
  return referrer.host === '' ? noPage : referrer
}

/**
 * The URL is what the visitor followed; then the campaign stored by the SDK; then fields added by hand. The
 * first that has any field is used alone, since mixing two campaigns would invent a third.
 */
function campaignOf(page: Page, context: Members, properties: Members): Campaign {
  if (page.campaign !== noCampaign) return page.campaign
  if (context.campaign !== undefined) {
    const byContext = campaignOfMembers(membersOf(context.campaign))
    if (byContext !== noCampaign) return byContext
  }
  return campaignOfProperties(properties)
}

const noTraffic: Traffic = Object.freeze({ channel: '', source: '', medium: '', referrerHost: '' })

/**
 * A back end's event without page, campaign or referrer is not an arrival; counting it as direct would be
 * wrong.
 */
function trafficOf(
  surface: Surface,
  page: Page,
  referrer: Page,
  campaign: Campaign,
  site: EnrichSite,
): Traffic {
  if (surface === 'server' && page === noPage && referrer === noPage && campaign === noCampaign)
    return noTraffic
  const referrerHost = isOwn(referrer.domain, page.domain, site.domain) ? '' : referrer.host
  return classifyArrival(referrerHost, campaign, site.channelRules ?? defaultChannelRules)
}

/**
 * A public key is used by the visitor's own browser, whose headers are more reliable than a script's context.
 * A back end's own headers describe the back end. An application's HTTP client (`okhttp/4.9`) looks like a
 * script, so applications are never classified as bots by it.
 */
function agentOf(event: EnrichableEvent, context: Members, request: RequestFacts, surface: Surface): Agent {
  const isBrowser = surface === 'web' && request.credential === 'public'
  if (isBrowser && request.agent !== null) return request.agent
  const userAgent = textOf(event.userAgent) || textOf(context.userAgent)
  const agent = readAgent({ userAgent, brands: '', platform: '', mobile: '', purpose: '' }, isBrowser)
  const isApplication = surface === 'ios' || surface === 'android'
  return isApplication && agent.isBot ? { ...agent, device: 'mobile', isBot: false, botReason: '' } : agent
}

/**
 * A back end's address is the location of the machine, so only what it sends for the visitor counts: a place, or an
 * address.
 */
function placeIn(context: Members, request: RequestFacts): Located {
  const timezone = textOf(context.timezone, nameCharsMax)
  if (request.credential === 'public') return locate(request.place, timezone)
  const ip = textOf(context.ip, nameCharsMax)
  const said = context.location === undefined ? nowhereKnown : placeOfLocation(context.location)
  return locate(
    moreOf(said, () => (ip === '' ? nowhereKnown : request.lookupPlace(ip))),
    timezone,
  )
}

function localeOf(context: Members, request: RequestFacts): string {
  return textOf(context.locale, nameCharsMax) || (request.credential === 'public' ? request.locale : '')
}
