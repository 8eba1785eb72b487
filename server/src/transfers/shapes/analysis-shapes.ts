import {
  AudienceRules,
  audienceStatuses,
  audiencesMax,
  createErrorRule,
  errorDecisions,
  errorRulesMax,
  type Filter,
  Filters,
  funnelStatuses,
  milestoneKeys,
} from '@assay/contract'
import { Type } from 'typebox'
import { funnelId } from '../../analytics/funnels/metrics.ts'
import { readAudienceFilters } from '../../audiences/audience-filter.ts'
import { readRules } from '../../audiences/rules.ts'
import type { TextRow } from '../control-store.ts'
import { readJson, shaped } from '../import/json-check.ts'
import {
  eventTime,
  id,
  matching,
  nullable,
  oneOf,
  text,
  time,
  whole,
  workspace,
} from '../import/value-checks.ts'
import { Finite, int4, site } from './column-checks.ts'
import type { Flaw, TableShape } from './table-shape.ts'

const Time = Type.Number({ minimum: 0, maximum: 1e14 })

/** What reports distinguish and have found. */
export const analysisShapes: Readonly<Record<string, TableShape>> = {
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
  error_states: {
    columns: {
      workspace_id: workspace,
      site_id: site,
      group_id: matching(/^err_[0-9a-f]{16}$/, 'an id such as err_…'),
      state: oneOf(errorDecisions),
      changed_at: time,
    },
  },
  funnels: {
    columns: {
      id: matching(/^fun_[0-9a-f]{20}$/, 'an id such as fun_…'),
      workspace_id: workspace,
      site_id: site,
      steps: shaped(Type.Array(Type.String({ maxLength: 4_096 }), { maxItems: 100 })),
      found_name: text(10_000),
      own_name: text(200),
      status: oneOf(funnelStatuses),
      first_seen: time,
      last_seen: time,
    },
    row: funnelFlaw,
  },
  site_milestones: {
    columns: {
      workspace_id: workspace,
      site_id: site,
      counted_at: eventTime,
      data_until: nullable(eventTime),
      totals: shaped(Type.Object(Object.fromEntries(milestoneKeys.map((key) => [key, Finite])))),
      reached: shaped(
        Type.Array(
          Type.Object({ key: Type.Unsafe({ enum: [...milestoneKeys] }), threshold: Finite, reachedMs: Time }),
          { maxItems: 1_000 },
        ),
      ),
    },
  },
}

/** Its id follows from its site and steps: one that says otherwise would stand in the way of another site's. */
function funnelFlaw({ id: ownId, site_id, steps }: TextRow): Flaw | null {
  const read = readJson(steps)
  const isOwn =
    'parsed' in read && Array.isArray(read.parsed) && funnelId(String(site_id), read.parsed) === ownId
  return isOwn ? null : { column: 'id', reason: 'must be the id that follows from the site and the steps' }
}
