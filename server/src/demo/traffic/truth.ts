import { orderShares } from './events/orders.ts'
import type { SiteKey } from './events/wire.ts'
import { type Fault, planFaults } from './faults.ts'
import type { ErrorModel, FunnelModel, SiteModel, StepModel } from './model.ts'
import { siteTally, type Tally } from './tally.ts'

type TrueFunnel = {
  readonly site: SiteKey
  readonly key: string
  readonly name: string
  readonly steps: readonly StepModel[]
  /** Chance from step to step when no error strikes. */
  readonly cleanRates: readonly number[]
  /** The same over all sessions, errors included: what a funnel report must find. */
  readonly rates: readonly number[]
}

type TrueError = ErrorModel & {
  readonly site: SiteKey
  /** Chance of the milestone for a session at that step without this error; 0 where none is at stake. */
  readonly conversionWithout: number
}

/** What the generator put in, for tests of what the product finds. */
export type Truth = {
  readonly fromMs: number
  readonly toMs: number
  readonly sites: readonly SiteModel[]
  readonly funnels: readonly TrueFunnel[]
  readonly errors: readonly TrueError[]
  readonly faults: readonly Fault[]
  readonly orders: typeof orderShares
  readonly botShare: number
  readonly badShare: number
}

/** What is left of the chance to leave a step forwards when its errors strike independently. */
function keptAt(site: SiteModel, funnel: FunnelModel, step: StepModel, except?: ErrorModel): number {
  return site.errors
    .filter((error) => error !== except && error.at?.funnel === funnel.key && error.at.step === step.key)
    .reduce((kept, error) => kept * (1 - error.share * error.dropOff), 1)
}

function ratesOf(site: SiteModel, funnel: FunnelModel, except?: ErrorModel): readonly number[] {
  return funnel.rates.map((rate, index) => {
    const step = funnel.steps[index]
    return step === undefined ? rate : rate * keptAt(site, funnel, step, except)
  })
}

function conversionWithout(site: SiteModel, error: ErrorModel): number {
  const funnel = site.funnels.find(({ key }) => key === error.at?.funnel)
  if (funnel === undefined) return 0
  const from = funnel.steps.findIndex(({ key }) => key === error.at?.step)
  return ratesOf(site, funnel, error)
    .slice(from)
    .reduce((chance, rate) => chance * rate, 1)
}

export function describeTruth(
  sites: readonly SiteModel[],
  range: { fromMs: number; toMs: number; hasFaults: boolean; botShare: number; badShare: number },
): Truth {
  const { fromMs, toMs, hasFaults, botShare, badShare } = range
  const keys = new Set(sites.map(({ key }) => key))
  return {
    fromMs,
    toMs,
    sites,
    funnels: sites.flatMap((site) =>
      site.funnels.map((funnel) => ({
        site: site.key,
        key: funnel.key,
        name: funnel.name,
        steps: funnel.steps,
        cleanRates: funnel.rates,
        rates: ratesOf(site, funnel),
      })),
    ),
    errors: sites.flatMap((site) =>
      site.errors.map((error) => ({
        ...error,
        site: site.key,
        conversionWithout: conversionWithout(site, error),
      })),
    ),
    faults: hasFaults ? planFaults(fromMs, toMs).filter((fault) => keys.has(fault.site)) : [],
    orders: orderShares,
    botShare,
    badShare,
  }
}

/** Conversions that an error cost: those who met it, times what they would have done, times the effect. */
export function trueLostConversions(tally: Tally, error: TrueError): number {
  const met = siteTally(tally, error.site).errors.find(({ key }) => key === error.key)
  return (met?.affectedSessions ?? 0) * error.conversionWithout * error.dropOff
}
