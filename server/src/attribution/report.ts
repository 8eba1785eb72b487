import {
  type AttributionModel,
  type AttributionPolicy,
  type AttributionReport,
  attributionModels,
  unattributed,
} from '@assay/contract'
import type { FreshRead } from '../http/fresh-read.ts'
import { baseOf, moneyOf } from '../sites/exchange-rates.ts'
import { exchangedUnits, type Money, rateOf } from '../store/money.ts'
import { outcomeRunsOf } from './computation/computation.ts'
import { selectDays, selectState } from './computation/day-store.ts'
import { type DayRange, daysFrom, reachOf } from './computation/days.ts'
import type { Context } from './context.ts'
import { settingsOf } from './models/channel-credits.ts'
import { splitAmount, unitsPerCredit } from './models/credit.ts'
import { creditUnits, type Fit } from './models/credits.ts'
import { fitOf, toFitShape } from './models/fit-shape.ts'
import {
  type DecayRow,
  type GroupBy,
  type ReportPathRow,
  selectDecay,
  selectReportPaths,
} from './paths/outcome-store.ts'
import { readPolicy } from './policy.ts'

type ReportQuery = DayRange & {
  groupBy: GroupBy
  siteId: string | null
  /** Of the site; null if the report covers all of them. */
  currency: string | null
  event: string | null
}

type PerModel<Value> = Record<AttributionModel, Value>
/** Units of credit, and units times amount by currency: integers, so that sums are exact. */
type Sums = { touchpoints: number; units: PerModel<bigint>; weighted: Map<string, PerModel<bigint>> }

const none = (): PerModel<bigint> => ({
  first: 0n,
  last: 0n,
  linear: 0n,
  time_decay: 0n,
  position: 0n,
  data_driven: 0n,
})
const whole = BigInt(unitsPerCredit)

export async function readReport(
  context: Context,
  workspaceId: string,
  query: ReportQuery,
  read: Pick<FreshRead, 'reachesUntil'>,
): Promise<AttributionReport> {
  const policy = await readPolicy(context.control, workspaceId)
  const days = await selectDays(context.control, workspaceId, query.from, query.to)
  const untilByDay = new Map(days.map((row) => [row.day, row.outcomes_until]))
  read.reachesUntil(reachOf(query, (day) => untilByDay.get(day)))
  const state = await selectState(context.control, workspaceId)
  const filter = { workspaceId, runs: outcomeRunsOf(days), ...query }
  const money = await moneyOfReport(context, workspaceId, query.currency)
  const paths = filter.runs.length === 0 ? [] : await selectReportPaths(context.events, filter)
  const decay = filter.runs.length === 0 ? [] : await selectDecay(context.events, filter)

  const sums = new Map<string, Sums>()
  const amounts = new Map<string, bigint>()
  let outcomes = 0
  for (const row of paths.map((one) => pathIn(one, money))) {
    outcomes += Number(row.outcomes)
    amounts.set(row.currency, (amounts.get(row.currency) ?? 0n) + BigInt(row.total))
    addPath(sums, row, policy, fitOf(state))
  }
  for (const { key, currency, units, weighted } of decay.map((one) => decayIn(one, money))) {
    add(sumsOf(sums, key), 'time_decay', currency, BigInt(units), BigInt(weighted))
  }
  const computed = days.filter(({ outcome_run }) => outcome_run !== null)
  return {
    period: { from: query.from, to: query.to },
    policy_version: policy.version,
    model: policy.model,
    group_by: query.groupBy,
    outcomes,
    values: [...amounts]
      .filter(([currency]) => currency !== '')
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([currency, amount]) => ({ currency, amount: toMoney(amount) })),
    exchange_rates: [...(money?.rates ?? [])],
    rows: toRows(sums, amounts, policy.model),
    data_driven: toFitShape(state),
    days: {
      computed: computed.length,
      outdated: computed.filter((row) => row.is_outdated || row.policy_version !== policy.version).length,
      missing: daysFrom(query.from, query.to).length - computed.length,
    },
  }
}

/** All sites together may have several currencies, so they are converted to the base of the rates. */
async function moneyOfReport(
  { rates }: Context,
  workspaceId: string,
  own: string | null,
): Promise<Money | null> {
  const currency = own ?? (await baseOf(rates, workspaceId))
  return currency === null ? null : moneyOf(rates, workspaceId, currency)
}

function pathIn(row: ReportPathRow, money: Money | null): ReportPathRow {
  const rate = money === null ? null : rateOf(money, row.currency)
  if (money === null || rate === null) return row
  return { ...row, currency: money.currency, total: String(exchangedUnits(BigInt(row.total), rate)) }
}

function decayIn(row: DecayRow, money: Money | null): DecayRow {
  const rate = money === null ? null : rateOf(money, row.currency)
  if (money === null || rate === null) return row
  return { ...row, currency: money.currency, weighted: String(exchangedUnits(BigInt(row.weighted), rate)) }
}

function sumsOf(sums: Map<string, Sums>, key: string): Sums {
  const known = sums.get(key)
  if (known !== undefined) return known
  const made = { touchpoints: 0, units: none(), weighted: new Map() }
  sums.set(key, made)
  return made
}

function add(sums: Sums, model: AttributionModel, currency: string, units: bigint, weighted: bigint): void {
  sums.units[model] += units
  const own = sums.weighted.get(currency) ?? none()
  own[model] += weighted
  sums.weighted.set(currency, own)
}

/** Time decay is not included: it depends on times, and was computed for each outcome. */
const byOrder = attributionModels.filter((model) => model !== 'time_decay')

function addPath(sums: Map<string, Sums>, row: ReportPathRow, policy: AttributionPolicy, fit: Fit): void {
  const { currency } = row
  const [outcomes, amount] = [BigInt(row.outcomes), BigInt(row.total)]
  if (row.keys.length === 0) {
    const nobody = sumsOf(sums, unattributed)
    for (const model of attributionModels) add(nobody, model, currency, whole * outcomes, whole * amount)
    return
  }
  const path = { channels: row.path, touchMs: row.path.map(() => 0), outcomeMs: 0 }
  for (const model of byOrder) {
    const units = creditUnits(model, path, settingsOf(policy), fit)
    for (const [index, key] of row.keys.entries()) {
      const own = BigInt(units[index] ?? 0)
      add(sumsOf(sums, key), model, currency, own * outcomes, own * amount)
    }
  }
  for (const key of row.keys) sumsOf(sums, key).touchpoints += Number(row.outcomes)
}

/** Each currency is distributed to the last ten-thousandth, in each model. */
function toRows(
  sums: ReadonlyMap<string, Sums>,
  amounts: ReadonlyMap<string, bigint>,
  sortBy: AttributionModel,
): AttributionReport['rows'] {
  const keys = [...sums.keys()].sort()
  const values = new Map<string, AttributionReport['rows'][number]['values']>(keys.map((key) => [key, []]))
  const currencies = [...amounts.keys()].filter((currency) => currency !== '').sort()
  for (const currency of currencies) {
    const shares = keys.map(
      (): PerModel<number> => ({
        first: 0,
        last: 0,
        linear: 0,
        time_decay: 0,
        position: 0,
        data_driven: 0,
      }),
    )
    for (const model of attributionModels) {
      const weights = keys.map((key) => sums.get(key)?.weighted.get(currency)?.[model] ?? 0n)
      const parts = splitAmount(amounts.get(currency) ?? 0n, weights)
      for (const [index, part] of parts.entries()) {
        const share = shares[index]
        if (share !== undefined) share[model] = toMoney(part)
      }
    }
    for (const [index, key] of keys.entries()) {
      const share = shares[index]
      if (share !== undefined) values.get(key)?.push({ currency, ...share })
    }
  }
  const credit = (key: string, model: AttributionModel) =>
    Number(sums.get(key)?.units[model] ?? 0n) / unitsPerCredit
  return keys
    .map((key) => ({
      key,
      touchpoints: sums.get(key)?.touchpoints ?? 0,
      credits: {
        first: credit(key, 'first'),
        last: credit(key, 'last'),
        linear: credit(key, 'linear'),
        time_decay: credit(key, 'time_decay'),
        position: credit(key, 'position'),
        data_driven: credit(key, 'data_driven'),
      },
      values: values.get(key) ?? [],
    }))
    .sort((left, right) => right.credits[sortBy] - left.credits[sortBy] || (left.key < right.key ? -1 : 1))
}

function toMoney(units: bigint): number {
  return Number(units) / 10_000
}
