import { type Static, Type } from 'typebox'
import { lookupProblems } from '../../problems.ts'
import { route } from '../../route.ts'
import { OneOf } from '../../shapes.ts'
import { RateUsed } from '../../sites/exchange-rates.ts'
import { range, reads } from './access.ts'
import { attributionModels, Credits } from './models.ts'
import { FitShape } from './outcomes.ts'

const reportGroupings = ['channel', 'campaign', 'source'] as const
const CurrencyValues = Type.Object({ currency: Type.String(), ...Credits.properties })
export const AttributionReport = Type.Object({
  period: Type.Object({ from: Type.String(), to: Type.String() }),
  policy_version: Type.Integer(),
  model: OneOf(attributionModels),
  group_by: OneOf(reportGroupings),
  outcomes: Type.Integer(),
  values: Type.Array(Type.Object({ currency: Type.String(), amount: Type.Number() })),
  exchange_rates: Type.Array(RateUsed, {
    description:
      'Amounts in these currencies are converted to that of the site, or for all sites in the base of the rates',
  }),
  rows: Type.Array(
    Type.Object({
      key: Type.String(),
      touchpoints: Type.Integer(),
      credits: Credits,
      values: Type.Array(CurrencyValues, { description: 'Amounts, one row a currency; never added up' }),
    }),
  ),
  data_driven: FitShape,
  days: Type.Object({
    computed: Type.Integer(),
    outdated: Type.Integer({ description: 'Computed under an earlier policy, or before something changed' }),
    missing: Type.Integer(),
  }),
})
export type AttributionReport = Static<typeof AttributionReport>

export const getAttributionReport = route({
  ...reads,
  id: 'getAttributionReport',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/attribution/report',
  summary: 'Credit by channel, campaign or source, models side by side',
  query: Type.Object(
    {
      ...range,
      group_by: Type.Optional(OneOf(reportGroupings)),
      site_id: Type.Optional(Type.String({ maxLength: 64 })),
      event: Type.Optional(Type.String({ maxLength: 200 })),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: AttributionReport },
  problems: lookupProblems,
})
