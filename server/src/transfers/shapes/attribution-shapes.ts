import {
  AttributionPolicy,
  attributionLimits,
  Dictionary,
  dataDrivenMethods,
  jobStatuses,
} from '@assay/contract'
import { Type } from 'typebox'
import { changedPolicy, defaultPolicy } from '../../attribution/policy.ts'
import { dayMs } from '../../platform/units.ts'
import type { TextRow } from '../control-store.ts'
import { shaped } from '../import/json-check.ts'
import {
  day,
  eventTime,
  flag,
  id,
  nullable,
  oneOf,
  real,
  text,
  time,
  whole,
  workspace,
} from '../import/value-checks.ts'
import { count, Finite, int4, int4Max, openMax } from './column-checks.ts'
import type { Flaw, TableShape } from './table-shape.ts'

const run = nullable(id('run'))
const Amounts = Dictionary(Finite)
const counted = { conversions: Finite, nulls: Finite, channels: Finite }
const Fit = Type.Union([
  Type.Object({ ...counted, method: Type.Literal('markov'), baseRate: Finite, removalEffects: Amounts }),
  Type.Object({ ...counted, method: Type.Literal('counterfactual'), rates: Amounts }),
  Type.Object({ ...counted, method: Type.Literal('shapley') }),
  Type.Object({
    ...counted,
    method: Type.Literal('fallback'),
    wanted: Type.Unsafe({ enum: [...dataDrivenMethods] }),
    reason: Type.Literal('too_few_outcomes'),
  }),
])

/** Policies of attribution, and how far it is computed. */
export const attributionShapes: Readonly<Record<string, TableShape>> = {
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
  attribution_states: {
    rowsMax: 1,
    columns: {
      workspace_id: workspace,
      people_seq: count,
      fit: nullable(shaped(Fit)),
      fit_policy_version: nullable(int4),
      fitted_at: nullable(time),
      fitted_from: text(1_000_000),
    },
  },
  attribution_days: {
    columns: {
      workspace_id: workspace,
      day,
      inputs: text(10_000),
      touch_run: run,
      outcome_run: run,
      policy_version: nullable(int4),
      outcomes: int4,
      is_outdated: flag,
      touches_until: nullable(eventTime),
      outcomes_until: nullable(eventTime),
    },
  },
  attribution_jobs: {
    open: { values: ['queued', 'running'], rowsMax: openMax },
    columns: {
      id: id('job'),
      workspace_id: workspace,
      from_day: day,
      to_day: day,
      status: oneOf(jobStatuses),
      progress: real(1_000),
      policy_version: nullable(int4),
      days_computed: int4,
      days_unchanged: int4,
      outcomes: int4,
      tries: int4,
      detail: nullable(text(2_000)),
      created_at: time,
      finished_at: nullable(time),
    },
    row: jobFlaw,
  },
}

/** A computation goes through its days one by one, while those of other workspaces wait. */
function jobFlaw({ from_day, to_day }: TextRow): Flaw | null {
  const days = (Date.parse(String(to_day)) - Date.parse(String(from_day))) / dayMs + 1
  const isSound = days >= 1 && days <= attributionLimits.rangeDaysMax
  return isSound
    ? null
    : { column: 'to_day', reason: `must be within ${attributionLimits.rangeDaysMax} days` }
}
