import { getExchangeRates, setExchangeRates } from '@assay/contract'
import { type Plane, serve } from '../http/serve.ts'
import type { Platform } from '../platform/platform.ts'
import type { Rates } from './exchange-rates.ts'
import { saveRates, toExchangeRates } from './exchange-rates.ts'

type Needs = Pick<Platform, 'control' | 'now'> & { rates: Rates }

export function exchangeRateRoutes(plane: Plane, { control, rates, now }: Needs): void {
  serve(plane, getExchangeRates, async ({ caller }) => toExchangeRates(await rates.of(caller.workspaceId)))

  serve(plane, setExchangeRates, async ({ body, caller }) => {
    const row = { ...body, updated_at: new Date(now()) }
    await saveRates(control, rates, caller.workspaceId, row)
    return toExchangeRates(row)
  })
}
