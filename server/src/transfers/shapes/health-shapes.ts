import {
  anomalyStatuses,
  anomalyTypes,
  Dictionary,
  HealthSettings,
  identifierCharactersMax,
} from '@assay/contract'
import { Type } from 'typebox'
import { defaultSettings } from '../../event-health/watch/findings.ts'
import { changedSettings } from '../../event-health/watch/settings.ts'
import { shaped } from '../import/json-check.ts'
import { eventTime, flag, id, nullable, oneOf, real, text, time, workspace } from '../import/value-checks.ts'
import { site } from './column-checks.ts'
import type { TableShape } from './table-shape.ts'

const Cause = Dictionary(Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()]))

/** How events are watched, and what was noticed. */
export const healthShapes: Readonly<Record<string, TableShape>> = {
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
  health_watches: { rowsMax: 1, columns: { workspace_id: workspace, watched_until: eventTime } },
  health_anomalies: {
    columns: {
      id: id('anm'),
      workspace_id: workspace,
      type: oneOf(anomalyTypes),
      site_id: site,
      event_name: text(identifierCharactersMax),
      issue: text(1_000),
      started_at: eventTime,
      ended_at: nullable(eventTime),
      observed: real(1e308),
      expected: real(1e308),
      score: real(1e308),
      severity: oneOf(['warning', 'critical']),
      cause: shaped(Cause),
      cause_group: text(2_000),
      is_alert: flag,
      status: oneOf(anomalyStatuses),
      muted_until: nullable(time),
      note: nullable(text(500)),
      created_at: time,
      updated_at: time,
    },
  },
  health_quarantine_episodes: {
    columns: {
      workspace_id: workspace,
      site_id: site,
      event_name: text(identifierCharactersMax),
      since: eventTime,
      last_over_at: eventTime,
    },
  },
}
