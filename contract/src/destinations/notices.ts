import { type Static, type TSchema, Type } from 'typebox'
import { Anomaly } from '../health/anomalies.ts'
import { driftKinds, driftSeverities } from '../health/drift.ts'
import { milestoneKeys } from '../health/site-health.ts'
import { subjectRequestStates, subjectRequestTypes } from '../privacy/privacy.ts'
import { closingReasons } from '../reports/alerts/firings.ts'
import { OneOf, Time } from '../shapes.ts'

/** Notices that the product sends about itself. */
export const noticeTypes = [
  'contract.published',
  'identity.merged',
  'identity.reversed',
  'dsr.status_changed',
  'anomaly.opened',
  'anomaly.closed',
  'attribution.computed',
  'drift.opened',
  'milestone.reached',
  'quarantine.threshold',
  'alert.opened',
  'alert.closed',
] as const
export type NoticeType = (typeof noticeTypes)[number]

const ledgerEntry = {
  ledger_entry_id: Type.String(),
  survivor_id: Type.Union([Type.String(), Type.Null()]),
  absorbed_id: Type.Union([Type.String(), Type.Null()]),
}

const firing = {
  id: Type.String({ description: 'Of the firing: the same when it opens and when it closes' }),
  alert_id: Type.String(),
  site_id: Type.String(),
  name: Type.String(),
  interval_start: Time,
  value: Type.Number({ description: 'Of the interval that opened it' }),
  low: Type.Union([Type.Number(), Type.Null()], { description: 'The lower limit of that interval' }),
  high: Type.Union([Type.Number(), Type.Null()]),
  opened_at: Time,
}

/** Contents of `data`. */
const noticeData = {
  'contract.published': Type.Object({ key: Type.String(), version: Type.String() }),
  'identity.merged': Type.Object(ledgerEntry),
  'identity.reversed': Type.Object({
    ...ledgerEntry,
    reverses: Type.Union([Type.String(), Type.Null()], { description: 'The entry that was taken back' }),
  }),
  'dsr.status_changed': Type.Object({
    id: Type.String(),
    type: OneOf(subjectRequestTypes),
    status: OneOf(subjectRequestStates),
  }),
  'anomaly.opened': Anomaly,
  'anomaly.closed': Anomaly,
  'attribution.computed': Type.Object({
    job_id: Type.String(),
    from: Type.String({ description: 'A day' }),
    to: Type.String({ description: 'A day, which is part of it' }),
    policy_version: Type.Integer(),
    days_computed: Type.Integer(),
    days_unchanged: Type.Integer(),
    outcomes: Type.Integer(),
  }),
  'drift.opened': Type.Object({
    id: Type.String(),
    site_id: Type.String(),
    page: Type.String(),
    selector: Type.String(),
    kind: OneOf(driftKinds),
    severity: OneOf(driftSeverities),
    candidate_selector: Type.Union([Type.String(), Type.Null()]),
    affected_events: Type.Array(Type.String()),
    opened_at: Time,
  }),
  'milestone.reached': Type.Object({
    site_id: Type.String(),
    id: Type.String(),
    key: OneOf(milestoneKeys),
    title: Type.String(),
    threshold: Type.Number(),
    reached_at: Time,
  }),
  'quarantine.threshold': Type.Object({
    site_id: Type.String(),
    event_key: Type.Union([Type.String(), Type.Null()], {
      description: 'Null: of no single event, but of all that the site sends together',
    }),
    held: Type.Integer({ description: 'Arrivals quarantined in the hour and the one before' }),
    arrived: Type.Integer(),
    share: Type.Number(),
    threshold: Type.Number({ description: 'The share in the settings that was passed' }),
    since: Time,
  }),
  'alert.opened': Type.Object(firing),
  'alert.closed': Type.Object({
    ...firing,
    closed_value: Type.Union([Type.Number(), Type.Null()]),
    closed_by: OneOf(closingReasons),
    closed_at: Time,
  }),
} satisfies Record<NoticeType, TSchema>

/** `subject` identifies the occurrence: each is reported once. */
export type Notice = {
  [Kind in NoticeType]: {
    readonly type: Kind
    readonly subject: string
    readonly data: Static<(typeof noticeData)[Kind]>
  }
}[NoticeType]

/** The body that is sent, as a schema. */
export function noticeBody(type: NoticeType): TSchema {
  return Type.Object({ type: Type.Literal(type), timestamp: Time, data: noticeData[type] })
}
