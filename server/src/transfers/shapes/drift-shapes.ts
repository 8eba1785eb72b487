import { driftSeverities, driftStatuses } from '@assay/contract'
import { Type } from 'typebox'
import { shaped } from '../import/json-check.ts'
import {
  eventTime,
  id,
  nullable,
  oneOf,
  plain,
  real,
  text,
  whole,
  workspace,
} from '../import/value-checks.ts'
import { site } from './column-checks.ts'
import type { TableShape } from './table-shape.ts'

/** Page elements that changed. */
export const driftShapes: Readonly<Record<string, TableShape>> = {
  drift_alerts: {
    columns: {
      workspace_id: workspace,
      id: id('drf'),
      site_id: site,
      page: text(2_048),
      selector: text(2_048),
      text: text(2_048),
      kind: plain(40, 1),
      severity: oneOf(driftSeverities),
      opened_at: eventTime,
      last_seen_at: eventTime,
      expected_per_day: real(1e15),
      observed: whole(),
      candidate: nullable(
        shaped(Type.Object({ selector: Type.String(), text: Type.String(), score: Type.Number() })),
      ),
      affected_events: shaped(Type.Array(Type.String({ maxLength: 512 }), { maxItems: 1_000 })),
      status: oneOf(driftStatuses),
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
