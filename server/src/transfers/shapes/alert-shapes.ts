import {
  AlertCondition,
  AlertQuestion,
  alertIntervals,
  alertLimits,
  alertStates,
  closingReasons,
  emailLengthMax,
  printedText,
} from '@assay/contract'
import { readRecipients } from '../../alerts/messages/channels.ts'
import { requireSoundQuestion } from '../../alerts/questions.ts'
import { refusalOf, shaped } from '../import/json-check.ts'
import {
  both,
  emptied,
  eventTime,
  flag,
  id,
  named,
  nullable,
  oneOf,
  plain,
  real,
  text,
  time,
  workspace,
} from '../import/value-checks.ts'
import { type TableShape, textList } from './table-shape.ts'

/** As much as any sum of money. */
const figure = nullable(real(1e300))

/** What is watched, and when it left its limits. Both are judged on where they come to. */
export const alertShapes: Readonly<Record<string, TableShape>> = {
  alerts: {
    perSiteMax: alertLimits.alertsMax,
    names: { as: 'alerts', columns: ['id'] },
    columns: {
      workspace_id: workspace,
      id: id('alr'),
      site_id: named('sites'),
      // The API counts code points, of which one may take two characters here.
      name: text(2 * alertLimits.nameCharactersMax, 1),
      question: nullable(shaped<AlertQuestion>(AlertQuestion, { validate: requireSoundQuestion })),
      // It may be gone, and is looked for in this workspace only.
      report_id: nullable(plain(64)),
      report_metric: nullable(plain(40)),
      interval: oneOf(alertIntervals),
      condition: shaped(AlertCondition),
      recipients: textList(
        both(plain(emailLengthMax), (value) => refusalOf(() => readRecipients([printedText(value)]))),
        alertLimits.recipientsMax,
      ),
      slack_url: emptied,
      has_notice: flag,
      is_paused: flag,
      state: oneOf(alertStates),
      last_value: figure,
      last_start: nullable(eventTime),
      last_checked_at: nullable(time),
      last_error: nullable(text(2_000)),
      owner: plain(200),
      created_at: time,
      updated_at: time,
    },
  },
  alert_firings: {
    rowsMax: alertLimits.alertsMax * alertLimits.firingsMax,
    columns: {
      workspace_id: workspace,
      id: id('fir'),
      alert_id: named('alerts'),
      interval_start: eventTime,
      value: real(1e300),
      low: figure,
      high: figure,
      opened_at: time,
      closed_at: nullable(time),
      closed_by: nullable(oneOf(closingReasons)),
      closed_value: figure,
    },
  },
}
