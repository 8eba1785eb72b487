import { type Static, Type } from 'typebox'
import { emailLengthMax, Nullable, OneOf, Time } from '../../shapes.ts'
import { AlertCondition } from './alert-condition.ts'
import { AlertQuestion } from './alert-question.ts'
import { alertIntervals, alertLimits, alertStates, figure } from './alert-terms.ts'

export const name = Type.String({
  minLength: 1,
  maxLength: alertLimits.nameCharactersMax,
  description: 'More than spaces',
})

export const channels = {
  recipients: Type.Array(Type.String({ minLength: 3, maxLength: emailLengthMax }), {
    maxItems: alertLimits.recipientsMax,
    description: 'Email addresses',
  }),
  slackUrl: Type.Union(
    [
      Type.String({
        maxLength: alertLimits.slackUrlCharactersMax,
        pattern: '^https?://[^\\s\\u0000]+$',
      }),
      Type.Null(),
    ],
    { description: 'An incoming webhook of Slack, or of anything that takes the same. Stored encrypted' },
  ),
  notice: Type.Boolean({ description: 'Send alert.opened and alert.closed to destinations' }),
  isPaused: Type.Boolean(),
}

/** A metric that is judged in every interval, and who hears of it. */
export const Alert = Type.Object({
  id: Type.String(),
  siteId: Type.String(),
  name: Type.String(),
  question: Type.Union([AlertQuestion, Type.Null()], { description: 'Null where it is that of a report' }),
  reportId: Nullable(Type.String()),
  reportMetric: Nullable(Type.String()),
  interval: OneOf(alertIntervals),
  condition: AlertCondition,
  recipients: Type.Array(Type.String()),
  slackUrl: Type.Union([Type.String(), Type.Null()], {
    description: 'Only the host and the last characters',
  }),
  notice: Type.Boolean(),
  isPaused: Type.Boolean(),
  state: OneOf(alertStates, {
    description: 'unknown: not judged yet, no value, or too little history to compare with',
  }),
  openedAt: Type.Union([Time, Type.Null()], { description: 'Since when it fires' }),
  lastValue: figure,
  lastIntervalStart: Type.Union([Time, Type.Null()], { description: 'Of the interval that was judged last' }),
  lastCheckedAt: Type.Union([Time, Type.Null()]),
  lastError: Type.Union([Type.String(), Type.Null()], {
    description: 'Why the last check gave no value; it is tried again',
  }),
  nextCheckAt: Type.Union([Time, Type.Null()], { description: 'Null while it is paused' }),
  owner: Type.String({ description: 'The member or the key that made it' }),
  createdAt: Time,
  updatedAt: Time,
})
export type Alert = Static<typeof Alert>
