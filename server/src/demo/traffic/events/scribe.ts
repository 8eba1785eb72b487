import type { City } from '../cities.ts'
import type { Fault, LatencyFault, SchemaFault, VolumeFault } from '../faults.ts'
import type { ElementModel, SiteModel } from '../model.ts'
import type { Device, Region, Source } from '../people.ts'
import { logNormal, type Random } from '../random.ts'
import { addTo, type SiteTally, siteTally, type Tally } from '../tally.ts'
import { accepted, makeBadEvent, otherType } from './bad-events.ts'
import type { Ids } from './ids.ts'
import { makeIsoFormat } from './iso.ts'
import type { Expected, Properties, TrafficEvent, WireContext } from './wire.ts'

export type World = {
  readonly random: Random
  readonly ids: Ids
  readonly toMs: number
  readonly badShare: number
  readonly faults: readonly Fault[]
  readonly tally: Tally
}

/** Who visits, from where and with what. */
export type Visit = {
  readonly site: SiteModel
  readonly region: Region
  readonly home: City
  readonly device: Device
  /** `null` for a bot: it comes from nowhere. */
  readonly source: Source | null
  readonly userAgent: string
  readonly isBot: boolean
  /** None for what a backend does later on its own, such as a refund. */
  readonly sessionId: string | undefined
  readonly anonymousId: string
  readonly startMs: number
  readonly release: string
}

const libraryOf = (name: string) => ({ name: `@assay/${name}`, version: '0.1.0' })
const browserLibrary = libraryOf('browser')
const serverLibrary = libraryOf('server')

/** Median and spread of the way from browser to server on mobile networks, an everyday delay. */
const latencyMedianMs = 350
const latencySigma = 0.8

/** Between steps people take seconds to minutes, never the 30 minutes that would end the session. */
const pauseMaxMs = 10 * 60_000

/** Writes down the events of one session after another; the clock only moves forward. */
export class Scribe {
  readonly world: World
  readonly out: TrafficEvent[] = []
  visit: Visit
  userId: string | undefined
  nowMs = 0
  private readonly iso = makeIsoFormat()
  private site: SiteTally
  private context: WireContext
  private serverContext: WireContext
  private previousUrl = ''
  private volume: VolumeFault | null = null
  private schema: SchemaFault | null = null
  private latency: LatencyFault | null = null

  constructor(world: World, visit: Visit) {
    this.world = world
    this.visit = visit
    this.context = { library: browserLibrary, app: { version: visit.release } }
    this.serverContext = this.context
    this.site = siteTally(world.tally, visit.site.key)
    this.begin(visit, undefined)
  }

  begin(visit: Visit, userId: string | undefined): void {
    this.visit = visit
    this.userId = userId
    this.nowMs = visit.startMs
    this.out.length = 0
    this.previousUrl = visit.source?.referrer ?? ''
    this.site = siteTally(this.world.tally, visit.site.key)
    this.volume = null
    this.schema = null
    this.latency = null
    for (const fault of this.world.faults) {
      if (fault.site !== visit.site.key) continue
      if (fault.kind === 'volume') this.volume = fault
      if (fault.kind === 'schema') this.schema = fault
      if (fault.kind === 'latency') this.latency = fault
    }
    const release = this.isFaulty(this.schema) && this.world.random() < (this.schema?.share ?? 0)
    const app = { version: release ? (this.schema?.release ?? visit.release) : visit.release }
    this.context = { library: browserLibrary, app, userAgent: visit.userAgent }
    this.serverContext = { library: serverLibrary, app }
  }

  /** Whether the whole session still fits into the range. */
  get isOver(): boolean {
    return this.nowMs >= this.world.toMs
  }

  pause(medianMs: number): void {
    const wait = logNormal(this.world.random, medianMs, 0.7)
    this.nowMs += Math.max(1, Math.min(pauseMaxMs, Math.round(wait)))
  }

  page(path: string, title: string): void {
    const { site, source, region, home, device, isBot } = this.visit
    const isLanding = this.out.length === 0
    const url = `https://${site.domain}${path}${isLanding ? this.landingQuery() : ''}`
    const { library, app, userAgent } = this.context
    const campaign = isLanding ? source?.campaign : undefined
    this.context = {
      library,
      app,
      ...(userAgent === undefined ? {} : { userAgent }),
      locale: region.locale,
      timezone: region.timeZone,
      screen: { width: device.width, height: device.height },
      page: { url, path, title, referrer: this.previousUrl },
      location: home,
      ...(campaign === undefined ? {} : { campaign }),
    }
    const properties: Record<string, unknown> = { url, title, referrer: this.previousUrl }
    let expected = accepted
    if (site.key === 'media' && !isBot) {
      const durationMs = Math.round(logNormal(this.world.random, 24_000, 0.9))
      const isBroken = this.isFaulty(this.schema) && app.version === this.schema?.release
      properties.duration_ms = isBroken ? `${Math.round(durationMs / 1000)} seconds` : durationMs
      if (isBroken) expected = otherType
    }
    this.previousUrl = url
    if (this.send('$pageview', properties, expected) && !isBot) this.site.pageviews += 1
  }

  click(element: ElementModel): void {
    const { key, selector, text, tag, role, id, classes, ancestors, position } = element
    const fingerprint = { tag, role, id, classes, ancestors, position }
    this.send('$click', { element: key, selector, text, fingerprint })
  }

  /** Sends from the browser. Answers whether the event is in the range (and, under a volume fault, alive). */
  send(event: string, properties: Properties, expected: Expected = accepted): boolean {
    if (this.volume !== null && event === this.volume.event && this.isFaulty(this.volume)) {
      if (this.world.random() >= this.volume.keepShare) return false
    }
    if (!this.write(event, properties, expected, this.context, false)) return false
    if (!this.visit.isBot && this.world.random() < this.world.badShare) {
      const bad = makeBadEvent(this.world.random)
      this.nowMs += 1
      this.write(bad.event, bad.properties, bad.expected, this.context, bad.isAnonymous === true)
    }
    return true
  }

  /** Sends from the customer's backend, which forwards the ids that the browser gave it. */
  sendFromServer(event: string, properties: Properties, expected: Expected = accepted): boolean {
    return this.write(event, properties, expected, this.serverContext, false)
  }

  private write(
    event: string,
    properties: Properties,
    expected: Expected,
    context: WireContext,
    isAnonymous: boolean,
  ): boolean {
    if (this.isOver) return false
    const { world, visit, nowMs } = this
    this.out.push({
      site: visit.site.key,
      isBot: visit.isBot,
      tsMs: nowMs,
      receivedAtMs: nowMs + this.delayMs(),
      expected,
      wire: {
        event,
        event_id: world.ids.event(nowMs),
        anonymous_id: isAnonymous ? undefined : visit.anonymousId,
        user_id: isAnonymous ? undefined : this.userId,
        ts: this.iso(nowMs),
        session_id: isAnonymous ? undefined : visit.sessionId,
        properties,
        context,
      },
    })
    this.count(expected)
    return true
  }

  private count(expected: Expected): void {
    const { tally } = this.world
    tally.events += 1
    tally.outcomes[expected.outcome] += 1
    if (expected.code !== null) addTo(tally.codes, expected.code, 1)
    if (this.visit.isBot) tally.botEvents += 1
    else if (expected.outcome === 'accept' || expected.outcome === 'warn') this.site.events += 1
  }

  private delayMs(): number {
    const median = this.isFaulty(this.latency) ? (this.latency?.medianMs ?? 0) : latencyMedianMs
    return Math.round(logNormal(this.world.random, median, latencySigma))
  }

  private isFaulty(fault: { fromMs: number; toMs: number } | null): boolean {
    return fault !== null && this.nowMs >= fault.fromMs && this.nowMs < fault.toMs
  }

  private landingQuery(): string {
    const { source } = this.visit
    if (source?.campaign === undefined) return ''
    const { source: from, medium, name } = source.campaign
    const campaign = `?utm_source=${from}&utm_medium=${medium}&utm_campaign=${name}`
    if (source.clickId === undefined) return campaign
    const click = Math.floor(this.world.random() * 2 ** 52).toString(36)
    return `${campaign}&${source.clickId}=${click}${this.visit.anonymousId}`
  }
}
