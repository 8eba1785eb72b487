import { Type } from 'typebox'

export const alertLimits = {
  /** Of a site. Each is a question in every interval. */
  alertsMax: 100,
  nameCharactersMax: 120,
  recipientsMax: 20,
  slackUrlCharactersMax: 2_000,
  /** Of an alert; the oldest are deleted. */
  firingsMax: 500,
  /** A message that cannot be delivered is given up after that. */
  retryHours: 24,
  /** Messages are deleted after that. */
  messageDays: 30,
  /** As much as a number of JSON holds exactly. */
  valueMax: 1e15,
} as const

export const alertIntervals = ['hour', 'day', 'week'] as const
export type AlertInterval = (typeof alertIntervals)[number]
export const alertStates = ['ok', 'firing', 'unknown'] as const
export const alertSensitivities = ['low', 'medium', 'high'] as const
export type AlertSensitivity = (typeof alertSensitivities)[number]
export const alertDirections = ['up', 'down', 'either'] as const
export type AlertDirection = (typeof alertDirections)[number]

export const figure = Type.Union([Type.Number(), Type.Null()])
