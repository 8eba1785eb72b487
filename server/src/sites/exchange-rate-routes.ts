import { getExchangeRates, setExchangeRates } from '@assay/contract'
import type { Deps } from '../deps.ts'
import { type Plane, serve } from '../http/serve.ts'
import { saveRates, toExchangeRates } from './exchange-rates.ts'

export function exchangeRateRoutes(plane: Plane, { control, rates, now }: Deps): void {
  serve(plane, getExchangeRates, async ({ caller }) => toExchangeRates(await rates.of(caller.workspaceId)))

  serve(plane, setExchangeRates, async ({ body, caller }) => {
    const row = { ...body, updated_at: new Date(now()) }
    await saveRates(control, rates, caller.workspaceId, row)
    return toExchangeRates(row)
  })
}
