import { dayMs, hourMs } from '../platform/units.ts'
import { Crowd, type Regulars } from './traffic/crowd.ts'
import { makeIds } from './traffic/events/ids.ts'
import type { SiteKey, TrafficEvent } from './traffic/events/wire.ts'
import type { SiteModel } from './traffic/model.ts'
import { regions } from './traffic/people.ts'
import { at, mix, poisson, seededRandom } from './traffic/random.ts'
import { planSeason, type Season } from './traffic/season.ts'
import { siteModels } from './traffic/sites.ts'
import { makeTally, type Tally } from './traffic/tally.ts'
import { describeTruth, type Truth } from './traffic/truth.ts'

export type TrafficOptions = {
  readonly seed: number
  /** How many events to aim at; chance decides the exact number. */
  readonly events: number
  readonly fromMs: number
  readonly toMs: number
  readonly sites?: readonly SiteKey[]
  /** Share of sessions that bots make. */
  readonly botShare?: number
  /** Chance that a good event is followed by one that the gate must hold or refuse. */
  readonly badShare?: number
  readonly hasFaults?: boolean
}

/**
 * Made-up traffic with known truth. The same options give the same events, in constant memory however many.
 * Events are in order per visitor; over all visitors they are in order up to the length of a session.
 */
export type Traffic = {
  readonly truth: Truth
  /** Grows while `events` is read, which can be done once. */
  readonly tally: Tally
  readonly events: Generator<TrafficEvent, void, undefined>
}

const defaultBotShare = 0.03
const defaultBadShare = 0.01

/** Enough sessions to know their mean length within 2 %. */
const pilotSessions = 4_000

export function makeTraffic(options: TrafficOptions): Traffic {
  const { seed, fromMs, toMs, botShare = defaultBotShare, badShare = defaultBadShare } = options
  const sites = siteModels.filter(({ key }) => options.sites?.includes(key) ?? true)
  const truth = describeTruth(sites, {
    fromMs,
    toMs,
    hasFaults: options.hasFaults ?? true,
    botShare,
    badShare,
  })
  const tally = makeTally(sites)
  return { truth, tally, events: play(truth, tally, seed, options.events) }
}

/** New visitors of so many days are those who may come back. */
const regularDays = 30
/** Where the number of sessions is not known yet. */
const pilotRegulars = 100

/** As many as the range itself would create, so that its start looks like its end. */
function regularsOf({ sites, fromMs, toMs }: Truth, sessions: number): Regulars {
  const shares = sites.reduce((sum, { share }) => sum + share, 0)
  const regionShares = regions.reduce((sum, { share }) => sum + share, 0)
  const sessionsPerDay = (sessions * dayMs) / (toMs - fromMs)
  return (site, regionIndex) =>
    (regularDays * sessionsPerDay * (1 - site.returningShare) * site.share * at(regions, regionIndex).share) /
    (shares * regionShares)
}

function makeCrowd(truth: Truth, tally: Tally, seed: number, regulars: Regulars): Crowd {
  const world = {
    random: seededRandom(seed),
    ids: makeIds(seed),
    toMs: truth.toMs,
    badShare: truth.badShare,
    faults: truth.faults,
    tally,
  }
  return new Crowd(world, truth.botShare, regulars)
}

/** Mean events of a session, by trying: a formula would have to be kept in step with every site model. */
function eventsPerSession(truth: Truth, sites: readonly SiteModel[], seed: number): number {
  const tally = makeTally(sites)
  const endless = { ...truth, toMs: Number.POSITIVE_INFINITY, faults: [] }
  const crowd = makeCrowd(endless, tally, mix(seed, 99), () => pilotRegulars)
  const shares = sites.reduce((sum, { share }) => sum + share, 0)
  for (const site of sites) {
    const count = Math.round((pilotSessions * site.share) / shares)
    // An hour apart, so that visitors can come back as they do in the real run.
    for (let index = 0; index < count; index += 1) {
      crowd.session(site, index % regions.length, truth.fromMs + index * hourMs)
    }
  }
  return tally.events / tally.sessions
}

type Start = { readonly site: SiteModel; readonly region: number; readonly startMs: number }

function* play(
  truth: Truth,
  tally: Tally,
  seed: number,
  events: number,
): Generator<TrafficEvent, void, undefined> {
  const { sites } = truth
  const season = planSeason(sites, truth.fromMs, truth.toMs)
  const sessions = events / eventsPerSession(truth, sites, seed)
  const crowd = makeCrowd(truth, tally, seed, regularsOf(truth, sessions))
  const arrivals = seededRandom(mix(seed, 1))
  for (let hour = 0; hour < season.hours; hour += 1) {
    yield* crowd.refundsDue(season.startMs(hour))
    for (const start of planHour(sites, season, hour, sessions, arrivals)) {
      yield* crowd.session(start.site, start.region, start.startMs)
    }
  }
}

function planHour(
  sites: readonly SiteModel[],
  season: Season,
  hour: number,
  sessions: number,
  random: () => number,
): readonly Start[] {
  const starts: Start[] = []
  const shares = sites.reduce((sum, { share }) => sum + share, 0)
  const fromMs = season.startMs(hour)
  const lengthMs = season.endMs(hour) - fromMs
  for (const site of sites) {
    for (let region = 0; region < regions.length; region += 1) {
      const mean = (sessions * site.share * season.weight(site, hour, region)) / shares
      for (let count = poisson(random, mean); count > 0; count -= 1) {
        starts.push({ site, region, startMs: fromMs + Math.floor(random() * lengthMs) })
      }
    }
  }
  return starts.sort((a, b) => a.startMs - b.startMs)
}
