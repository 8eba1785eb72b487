import {
  consentRegimes,
  deniedActs,
  environments,
  eventRetentionDaysMax,
  eventRetentionDaysMin,
  printedText,
  scopes,
  setExchangeRates,
} from '@assay/contract'
import { requireCodes } from '../../sites/exchange-rates.ts'
import { readDomain, requireTimezone, sitesMax } from '../../sites/sites.ts'
import { refusalOf, shaped } from '../import/json-check.ts'
import {
  both,
  bytes,
  type Check,
  eventTime,
  id,
  matching,
  nullable,
  oneOf,
  plain,
  text,
  time,
  whole,
  workspace,
} from '../import/value-checks.ts'
import { flawOf, parsed, site } from './column-checks.ts'
import { type TableShape, textList } from './table-shape.ts'

/** Far more than pages and apps of one workspace have. */
const publicKeysMax = 10_000
const domain: Check = (value) =>
  typeof value === 'string' && refusalOf(() => readDomain(value)) === null && readDomain(value) === value
    ? null
    : 'must be a host name such as example.com'
const timezone: Check = (value) => refusalOf(() => requireTimezone(printedText(value)))

/** A site, its keys and its exchange rates: each by the validator of the route that sets it. */
export const siteShapes: Readonly<Record<string, TableShape>> = {
  sites: {
    rowsMax: sitesMax,
    names: { as: 'sites', columns: ['id'] },
    columns: {
      id: id('site'),
      workspace_id: workspace,
      name: text(120, 1),
      domain,
      timezone: both(plain(64, 1), timezone),
      currency: nullable(matching(/^[A-Z]{3}$/, 'a code of three letters')),
      ingest_token: matching(/^st_[0-9A-Za-z]{16,100}$/, 'a token such as st_…'),
      created_at: time,
      consent_regime: nullable(oneOf(consentRegimes)),
      on_denied: oneOf(deniedActs),
      event_retention_days: nullable(whole(eventRetentionDaysMin, eventRetentionDaysMax)),
      events_removed_before: nullable(eventTime),
    },
  },
  api_keys: {
    rowsMax: publicKeysMax,
    columns: {
      id: id('key'),
      workspace_id: workspace,
      site_id: site,
      // No other kind travels: a key that reads would let in the person who made the file.
      kind: oneOf(['public']),
      name: plain(120, 1),
      hint: matching(/^pk_live_…\w{4}$/, 'the hint of a public key'),
      hash: bytes(32, 32),
      environment: oneOf(environments),
      scopes: textList(oneOf(scopes), scopes.length),
      created_at: time,
      expires_at: nullable(time),
    },
  },
  exchange_rates: {
    rowsMax: 1,
    columns: {
      workspace_id: workspace,
      base: matching(/^[A-Z]{3}$/, 'a code of three letters'),
      rates: shaped(setExchangeRates.body.properties.rates),
      updated_at: time,
    },
    row: (row) =>
      flawOf(
        'rates',
        refusalOf(() => requireCodes({ base: String(row.base), rates: parsed(row.rates) })),
      ),
  },
}
