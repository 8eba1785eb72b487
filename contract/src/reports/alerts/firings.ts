import { type Static, Type } from 'typebox'
import { lookupProblems } from '../../problems.ts'
import { route } from '../../route.ts'
import { exact, OneOf, Page, paging, Time } from '../../shapes.ts'
import { byId, reads } from './access.ts'
import { alertLimits, figure } from './alert-terms.ts'

const messageChannels = ['mail', 'slack'] as const
const messageStatuses = ['pending', 'sent', 'failed'] as const
const messageTypes = ['opened', 'closed'] as const

const AlertMessage = Type.Object({
  type: OneOf(messageTypes),
  channel: OneOf(messageChannels),
  recipient: Type.String({ description: 'Empty for Slack' }),
  status: OneOf(messageStatuses, { description: 'failed: given up' }),
  attempts: Type.Integer(),
  error: Type.Union([Type.String(), Type.Null()], { description: 'Why the last attempt failed' }),
  sentAt: Type.Union([Time, Type.Null()]),
})

export const closingReasons = ['recovered', 'changed'] as const

/** From the interval with which an alert opened to the one with which it closed. */
export const Firing = Type.Object({
  id: Type.String(),
  openedAt: Time,
  closedAt: Type.Union([Time, Type.Null()]),
  closedBy: Type.Union([OneOf(closingReasons), Type.Null()], {
    description: 'changed: the alert was changed or paused while it fired',
  }),
  intervalStart: { ...Time, description: 'Of the interval that opened it' },
  value: Type.Number(),
  low: figure,
  high: figure,
  closedValue: figure,
  messages: Type.Array(AlertMessage, {
    description: `Messages of the last ${alertLimits.messageDays} days`,
  }),
})
export type Firing = Static<typeof Firing>

export const listFirings = route({
  ...reads,
  id: 'listFirings',
  method: 'GET',
  path: '/api/v1/alerts/:id/firings',
  summary: 'List when an alert fired, the last first',
  description: `With the messages that were sent. The last ${alertLimits.firingsMax} are stored.`,
  params: byId,
  query: Type.Object(paging, exact),
  success: { status: 200, body: Page(Firing) },
  problems: lookupProblems,
})
