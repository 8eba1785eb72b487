import { currencyCodes, type ExchangeRate, type ExchangeRates, Problem } from '@assay/contract'
import { createSharedCache, type SharedCache } from '../platform/shared-cache.ts'
import type { Control } from '../store/control.ts'
import { type Money, noCurrency } from '../store/money.ts'
import { type RatesRow, selectRates, upsertRates } from './rate-store.ts'

/** What each workspace says other currencies are worth; null where it says nothing. */
export type Rates = SharedCache<RatesRow | null>

export function createRates(control: Control): Promise<Rates> {
  return createSharedCache(control, {
    channel: 'assay_exchange_rates',
    read: (workspaceId) => selectRates(control, workspaceId),
  })
}

/** How a report in this currency converts amounts; without a currency it adds up nothing. */
export async function moneyOf(rates: Rates, workspaceId: string, currency: string | null): Promise<Money> {
  if (currency === null) return { currency: noCurrency, rates: [] }
  return { currency, rates: ratesInto(await rates.of(workspaceId), currency) }
}

/** The currency of a report about several sites. */
export async function baseOf(rates: Rates, workspaceId: string): Promise<string | null> {
  return (await rates.of(workspaceId))?.base ?? null
}

/** A currency without a rate cannot be reached, and from it nothing can. */
function ratesInto(row: Pick<RatesRow, 'base' | 'rates'> | null, currency: string): readonly ExchangeRate[] {
  if (row === null || row.rates.length === 0) return []
  const worth = new Map([[row.base, 1], ...row.rates.map((one) => [one.currency, one.rate] as const)])
  const own = worth.get(currency)
  if (own === undefined) return []
  return [...worth]
    .filter(([other]) => other !== currency)
    .map(([other, value]) => ({ currency: other, rate: value / own }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
}

export async function saveRates(
  control: Control,
  rates: Rates,
  workspaceId: string,
  row: RatesRow,
): Promise<void> {
  requireCodes(row)
  await upsertRates(control, workspaceId, row)
  await rates.changed(workspaceId)
}

export function requireCodes({ base, rates }: Pick<RatesRow, 'base' | 'rates'>): void {
  const wrong = [
    ...(currencyCodes.has(base) ? [] : [{ field: 'base', message: 'is not a code of ISO 4217' }]),
    ...rates.flatMap(({ currency }, index) => {
      const field = `rates.${index}.currency`
      if (!currencyCodes.has(currency)) return [{ field, message: 'is not a code of ISO 4217' }]
      if (currency === base) return [{ field, message: 'is the base, which is worth 1' }]
      const isAgain = rates.findIndex((one) => one.currency === currency) < index
      return isAgain ? [{ field, message: 'has a rate already' }] : []
    }),
  ]
  const [first] = wrong
  if (first === undefined) return
  throw new Problem('invalid-parameter', { detail: `${first.field} ${first.message}.`, errors: wrong })
}

export function toExchangeRates(row: RatesRow | null): ExchangeRates {
  return {
    base: row?.base ?? null,
    rates: row?.rates ?? [],
    updatedAt: row?.updated_at.toISOString() ?? null,
  }
}
