import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Time } from '../shapes.ts'
import { eventRetentionDaysMax, eventRetentionDaysMin, Site } from '../sites/sites.ts'

const NullableTime = Type.Union([Time, Type.Null()])

/**
 * The retention of a site's events, what another number of days would remove, and the retention of everything
 * else.
 */
export const EventRetention = Type.Object({
  siteId: Type.String(),
  eventRetentionDays: Site.properties.eventRetentionDays,
  retainedSince: Site.properties.retainedSince,
  stored: Type.Object({ events: Type.Integer(), oldestEventAt: NullableTime }),
  preview: Type.Union(
    [
      Type.Object({
        days: Type.Integer(),
        before: Type.String({ description: 'RFC 3339, UTC: events before this would be removed today' }),
        events: Type.Integer({ description: 'Stored events that would be removed' }),
        held: Type.Integer({ description: 'Quarantined events that would be, by when they arrived' }),
        oldestEventAt: NullableTime,
      }),
      Type.Null(),
    ],
    { description: 'Where days are asked for' },
  ),
  kept: Type.Object(
    {
      heldDays: Type.Integer({ description: 'Until a quarantined event expires' }),
      replayDays: Type.Integer({ description: 'Recorded visits' }),
      deliveryDays: Type.Integer({ description: 'What vendors delivered' }),
      outgoingDays: Type.Integer({ description: 'What goes out, where it was given up; 7 where it arrived' }),
      exportDays: Type.Integer({ description: 'Archives of data-subject requests' }),
    },
    { description: 'What is kept for a time of its own' },
  ),
})
export type EventRetention = Static<typeof EventRetention>

export const getEventRetention = route({
  id: 'getEventRetention',
  method: 'GET',
  path: '/api/v1/sites/:id/event-retention',
  plane: 'control',
  access: 'read',
  scope: 'sites:read',
  rate: 'apiRead',
  tag: 'Sites',
  summary: 'How long events of a site are kept, and what another number of days would remove',
  description: 'It changes nothing: updateSite sets eventRetentionDays.',
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  query: Type.Object(
    {
      days: Type.Optional(Type.Integer({ minimum: eventRetentionDaysMin, maximum: eventRetentionDaysMax })),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: EventRetention },
  problems: lookupProblems,
})

export const eventRetentionRoutes = [getEventRetention] as const
