import {
  ContractDraft,
  contractStatuses,
  createMapping,
  Dictionary,
  defaultRules,
  ElementMatch,
  elementMatchesMax,
  gatePresets,
  outcomes,
  severityErrors,
  toSnakeCase,
} from '@assay/contract'
import { Type } from 'typebox'
import { isId } from '../../platform/clock.ts'
import { requireSoundMatch } from '../../registry/catalog/elements.ts'
import { refuseReservedKey } from '../../registry/contracts/contracts.ts'
import { contractBytesMax, readDraft } from '../../registry/contracts/draft.ts'
import { keysMax } from '../../registry/contracts/registration.ts'
import { customRulesMax, requireSoundRule } from '../../registry/mappings/mappings.ts'
import type { TextRow } from '../control-store.ts'
import { refusalOf, shaped } from '../import/json-check.ts'
import {
  flag,
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
import type { Flaw, TableShape } from './table-shape.ts'

const key = matching(/^[a-z0-9_]{1,100}$/, 'a key of lowercase letters, digits and underscores')
const propertyMap = shaped(createMapping.body.properties.propertyMap)

/** What the gate judges by. */
export const registryShapes: Readonly<Record<string, TableShape>> = {
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
