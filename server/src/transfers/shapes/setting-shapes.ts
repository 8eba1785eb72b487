import {
  AttributionPolicy,
  AudienceRules,
  audienceStatuses,
  audiencesMax,
  ContractDraft,
  consentCategories,
  consentRegimes,
  contractStatuses,
  createErrorRule,
  createMapping,
  Dictionary,
  defaultRules,
  deniedActs,
  destinationLimits,
  destinationStatuses,
  ElementMatch,
  elementMatchesMax,
  environments,
  errorRulesMax,
  eventRetentionDaysMax,
  eventRetentionDaysMin,
  type Filter,
  Filters,
  gatePresets,
  HealthSettings,
  noticeTypes,
  outcomes,
  printedText,
  scopes,
  sendStatuses,
  setExchangeRates,
  severityErrors,
  toSnakeCase,
  webhookLimits,
  webhookProviders,
} from '@assay/contract'
import { Type } from 'typebox'
import { changedPolicy, defaultPolicy } from '../../attribution/policy.ts'
import { readAudienceFilters } from '../../audiences/audience-filter.ts'
import { readRules } from '../../audiences/rules.ts'
import { readUrl } from '../../destinations/destinations.ts'
import { defaultSettings } from '../../event-health/watch/findings.ts'
import { changedSettings } from '../../event-health/watch/settings.ts'
import { isId } from '../../platform/clock.ts'
import { requireSoundMatch } from '../../registry/catalog/elements.ts'
import { refuseReservedKey } from '../../registry/contracts/contracts.ts'
import { contractBytesMax, readDraft } from '../../registry/contracts/draft.ts'
import { keysMax } from '../../registry/contracts/registration.ts'
import { customRulesMax, requireSoundRule } from '../../registry/mappings/mappings.ts'
import { requireCodes } from '../../sites/exchange-rates.ts'
import { readDomain, requireTimezone, sitesMax } from '../../sites/sites.ts'
import type { TextRow } from '../control-store.ts'
import { readJson, refusalOf, shaped } from '../import/json-check.ts'
import {
  both,
  bytes,
  type Check,
  emptied,
  eventTime,
  flag,
  id,
  matching,
  named,
  nullable,
  oneOf,
  orEmpty,
  personId,
  plain,
  real,
  text,
  time,
  whole,
  workspace,
} from '../import/value-checks.ts'
import { type Flaw, type TableShape, textList } from './table-shape.ts'

const flawOf = (column: string, reason: string | null): Flaw | null =>
  reason === null ? null : { column, reason }

const key = matching(/^[a-z0-9_]{1,100}$/, 'a key of lowercase letters, digits and underscores')
const int4Max = 2_147_483_647
export const int4 = whole(0, int4Max)
const site = named('sites')
/** Far more than pages and apps of one workspace have. */
const publicKeysMax = 10_000
const propertyMap = shaped(createMapping.body.properties.propertyMap)

const domain: Check = (value) =>
  typeof value === 'string' && refusalOf(() => readDomain(value)) === null && readDomain(value) === value
    ? null
    : 'must be a host name such as example.com'
const timezone: Check = (value) => refusalOf(() => requireTimezone(printedText(value)))

/** What a site, its registry and its reports are set to: each by the validator of the route that sets it. */
export const settingShapes: Readonly<Record<string, TableShape>> = {
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
  contracts: {
    // Versions beyond these are old history; every live key is in memory.
    rowsMax: 10 * keysMax,
    columns: {
      workspace_id: workspace,
      key,
      major: whole(0, 99_999),
      minor: whole(0, 99_999),
      patch: whole(0, 99_999),
      status: oneOf(contractStatuses),
      description: text(2_000),
      body: shaped(Type.Object({}), { charactersMax: 2 * contractBytesMax, isAnyCharacter: true }),
      replaced_by: nullable(key),
      created_at: time,
      published_at: nullable(time),
    },
    row: contractFlaw,
  },
  gate_severities: {
    rowsMax: 1,
    columns: {
      workspace_id: workspace,
      preset: oneOf(gatePresets),
      severities: shaped<Record<string, 'accept'>>(Dictionary(Type.Unsafe({ enum: [...outcomes] })), {
        validate: (severities) => {
          const [first] = severityErrors(severities)
          if (first !== undefined) throw new Error(`${first.field} ${first.message}`)
        },
      }),
    },
  },
  event_mappings: {
    perSiteMax: customRulesMax + defaultRules.length,
    columns: {
      workspace_id: workspace,
      site_id: site,
      id: plain(100, 1),
      is_default: flag,
      source: text(200, 1),
      source_key: text(400, 1),
      target: text(200, 1),
      property_map: propertyMap,
      is_enabled: flag,
      created_at: time,
    },
    row: mappingFlaw,
  },
  element_matches: {
    rowsMax: elementMatchesMax,
    columns: {
      workspace_id: workspace,
      key,
      site_id: nullable(site),
      match: shaped<ElementMatch>(ElementMatch, { validate: (match) => requireSoundMatch(match, {}) }),
    },
  },
  webhook_connections: {
    rowsMax: webhookLimits.connectionsMax,
    names: { as: 'connections', columns: ['id'] },
    columns: {
      id: id('con'),
      workspace_id: workspace,
      site_id: site,
      provider: oneOf(webhookProviders),
      registered_url: nullable(both(matching(/^https?:\/\/[^\s\0]+$/, 'an address'), text(2_000))),
      include_test: flag,
      secrets: emptied,
      created_at: time,
      rotated_at: nullable(time),
    },
  },
  audiences: {
    perSiteMax: audiencesMax,
    names: { as: 'audiences', columns: ['id'] },
    columns: {
      workspace_id: workspace,
      id: id('aud'),
      site_id: site,
      name: text(80, 1),
      description: text(1_000),
      rules: shaped<AudienceRules>(AudienceRules, { validate: readRules }),
      filters: shaped<readonly Filter[]>(Filters, { validate: readAudienceFilters }),
      status: oneOf(audienceStatuses),
      size: whole(),
      size_at: time,
      data_until: nullable(time),
      ledger_seq: whole(),
      refresh_after: time,
      created_at: time,
      updated_at: time,
    },
  },
  error_rules: {
    perSiteMax: errorRulesMax,
    columns: {
      workspace_id: workspace,
      id: id('erl'),
      site_id: site,
      position: int4,
      match: shaped(createErrorRule.body.properties.match, { isAnyCharacter: true }),
      error_group: text(200, 1),
      created_at: time,
    },
  },
  attribution_policies: {
    columns: {
      workspace_id: workspace,
      version: whole(1, int4Max),
      settings: shaped<Partial<AttributionPolicy>>(
        Type.Partial(Type.Omit(AttributionPolicy, ['version', 'created_at']), {
          additionalProperties: false,
        }),
        {
          validate: (settings) => changedPolicy({ version: 0, ...defaultPolicy, created_at: null }, settings),
          isAnyCharacter: true,
        },
      ),
      created_at: time,
    },
  },
  health_settings: {
    rowsMax: 1,
    columns: {
      workspace_id: workspace,
      settings: shaped<Partial<HealthSettings>>(
        Type.Partial(HealthSettings, { additionalProperties: false }),
        {
          validate: (settings) => changedSettings(defaultSettings, settings),
        },
      ),
    },
  },
  destinations: {
    rowsMax: destinationLimits.destinationsMax,
    names: { as: 'destinations', columns: ['id'] },
    columns: {
      id: id('dst'),
      workspace_id: workspace,
      site_id: nullable(site),
      name: text(100, 1),
      url: both(matching(/^https?:\/\/[^\s\0]{1,2000}$/, 'an address'), (value) =>
        refusalOf(() => readUrl(printedText(value))),
      ),
      events: textList(text(200, 1), destinationLimits.namesMax),
      purposes: textList(oneOf(consentCategories), consentCategories.length),
      notices: textList(oneOf(noticeTypes), noticeTypes.length),
      status: oneOf(destinationStatuses),
      secrets: emptied,
      failing_since: nullable(time),
      created_at: time,
    },
  },
  dispatches: {
    columns: {
      id: id('msg'),
      workspace_id: workspace,
      destination_id: named('destinations'),
      subject: text(1_000, 1),
      kind: oneOf(['event', 'notice', 'test']),
      type: text(512),
      person_id: orEmpty(personId),
      body: shaped(Type.Unknown(), { isAnyCharacter: true }),
      // What is still to be sent is sent by the server that it was noted on.
      status: oneOf(sendStatuses.filter((status) => status !== 'pending')),
      attempts: whole(0, 1_000),
      response_status: nullable(whole(0, 999)),
      error: nullable(text(2_000)),
      created_at: time,
      retry_until: time,
      next_at: nullable(time),
      delivered_at: nullable(time),
      queued_at: time,
    },
  },
  drift_alerts: {
    columns: {
      workspace_id: workspace,
      id: id('drf'),
      site_id: site,
      page: text(2_048),
      selector: text(2_048),
      text: text(2_048),
      kind: plain(40, 1),
      severity: oneOf(['low', 'medium', 'high']),
      opened_at: eventTime,
      last_seen_at: eventTime,
      expected_per_day: real(1e15),
      observed: whole(),
      candidate: nullable(
        shaped(Type.Object({ selector: Type.String(), text: Type.String(), score: Type.Number() })),
      ),
      affected_events: shaped(Type.Array(Type.String({ maxLength: 512 }), { maxItems: 1_000 })),
      status: oneOf(['open', 'accepted', 'muted', 'resolved']),
      closed_at: nullable(eventTime),
      ignore_before: nullable(eventTime),
    },
  },
  drift_aliases: {
    columns: {
      workspace_id: workspace,
      site_id: site,
      page: text(2_048),
      alias: text(2_048),
      selector: text(2_048),
    },
  },
  drift_checks: {
    columns: {
      workspace_id: workspace,
      site_id: site,
      checked_at: nullable(eventTime),
      tried_at: nullable(eventTime),
      data_until: nullable(eventTime),
    },
  },
}

/** Parsed again where columns are checked together; the column itself was valid. */
function parsed<Value>(value: string | null | undefined): Value {
  const read = readJson(value ?? 'null', undefined, true)
  if ('problem' in read) throw new Error(read.problem)
  // boundary: the shape of the column was checked before the row is looked at as a whole.
  return read.parsed as Value
}

const contractShape = shaped<ContractDraft>(ContractDraft, {
  validate: (draft) => {
    refuseReservedKey(draft.key)
    readDraft(draft, null)
  },
  isAnyCharacter: true,
})

/** As if it were registered here: by the shape of the route, and by what the gate can keep. */
function contractFlaw(row: TextRow): Flaw | null {
  const { key: ownKey, description, replaced_by } = row
  const version = `${row.major}-${row.minor}-${row.patch}`
  const body: unknown = parsed(row.body)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return flawOf('body', 'must be an object')
  const own = ['key', 'version', 'description', 'status', 'release', 'dry_run', 'replay_days', 'replaced_by']
  if (own.some((name) => Object.hasOwn(body, name))) return flawOf('body', 'has a member that is a column')
  const draft = { key: ownKey, version, description, ...body, ...(replaced_by && { replaced_by }) }
  return flawOf('body', contractShape(JSON.stringify(draft), nothing))
}

const nothing = Object.create(null)

function mappingFlaw(row: TextRow): Flaw | null {
  const { id: ruleId = '', source = '', source_key, target, is_default } = row
  if (source_key !== toSnakeCase(source ?? ''))
    return flawOf('source_key', 'must be the source in snake_case')
  if (is_default === 'true') {
    const rule = defaultRules.find((one) => one.id === ruleId)
    if (rule === undefined || rule.source !== source) return flawOf('id', 'must be that of a default rule')
  } else if (!isId('map', ruleId ?? '')) return flawOf('id', 'must be an id such as map_…')
  const rule = {
    source: String(source),
    target: String(target),
    propertyMap: parsed<Record<string, string>>(row.property_map),
  }
  return flawOf(
    'target',
    refusalOf(() => requireSoundRule(rule)),
  )
}
