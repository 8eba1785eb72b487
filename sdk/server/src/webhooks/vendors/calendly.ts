import { fromMajor } from '../money.ts'
import {
  identify,
  known,
  mapped,
  type Normalised,
  type NormalisedEvent,
  unmapped,
  type Who,
} from '../normal-form.ts'
import { at, flagAt, listAt, textAt, timeAt } from '../payload.ts'
import { stampedHmac } from '../schemes.ts'
import { compositeId, readObject, type Vendor, type VendorEvent } from '../vendor.ts'

export const calendly: Vendor = {
  provider: 'calendly',
  normalise,
  // Three minutes are the vendor's own sample.
  verify: stampedHmac({
    header: 'calendly-webhook-signature',
    separator: ',',
    timeName: 't',
    signatureName: 'v1',
    joint: '.',
    unit: 's',
    toleranceS: 180,
  }),
  read: (body) =>
    readObject(body, (payload) => ({
      id:
        compositeId(payload, 'event', 'payload.uri', 'payload.updated_at') ??
        compositeId(payload, 'event', 'payload.uri'),
      type: textAt(payload, 'event') ?? 'unknown',
      occurredAt: timeAt(payload, 'created_at', 'iso') ?? null,
    })),
}

function normalise({ type, occurredAt, payload }: VendorEvent): Normalised {
  const told = at(payload, 'payload')
  if (type === 'routing_form_submission.created') return routing(told, occurredAt)
  if (type !== 'invitee.created') return unmapped('no_rule')
  // A new time is sent as a cancellation and a new booking: the booking was counted when it was made.
  if (textAt(told, 'old_invitee') !== undefined) return unmapped('told_elsewhere')
  const uri = textAt(told, 'uri')
  const email = textAt(told, 'email')
  const who: Who = { email }
  const context = campaignOf(told)
  const events: NormalisedEvent[] = [
    {
      event: '$form_submit',
      key: `invitee:${uri}`,
      who,
      occurredAt,
      properties: known({
        form_id: textAt(told, 'scheduled_event.event_type') ?? 'calendly',
        form_name: textAt(told, 'scheduled_event.name'),
        field_count: listAt(told, 'questions_and_answers').length,
      }),
      context,
    },
    identify(`invitee:${uri}:identify`, who, occurredAt, { email, name: textAt(told, 'name') }),
  ]
  if (flagAt(told, 'payment.successful') !== true) return mapped(...events)
  const money = fromMajor(at(told, 'payment.amount'), at(told, 'payment.currency'))
  if (money === null) return { ...mapped(...events), unmapped: 'amount_unknown' }
  const orderId = textAt(told, 'payment.external_id')
  const properties = known({ ...money, order_id: orderId })
  return mapped(...events, {
    event: '$purchase',
    key: `payment:${orderId ?? uri}`,
    who,
    occurredAt,
    properties,
    context,
  })
}

function routing(told: unknown, occurredAt: number | null): Normalised {
  const formId = textAt(told, 'routing_form')
  if (formId === undefined) return unmapped('incomplete')
  const answers = listAt(told, 'questions_and_answers')
  const email = answers
    .map((answer) => textAt(answer, 'answer'))
    .find((text) => /^\S+@\S+\.\S+$/.test(text ?? ''))
  return mapped({
    event: '$form_submit',
    key: `submission:${textAt(told, 'uri')}`,
    who: { email },
    occurredAt,
    properties: { form_id: formId, field_count: answers.length },
    context: campaignOf(told),
  })
}

function campaignOf(told: unknown): Record<string, unknown> {
  const campaign = known({
    source: textAt(told, 'tracking.utm_source'),
    medium: textAt(told, 'tracking.utm_medium'),
    name: textAt(told, 'tracking.utm_campaign'),
    term: textAt(told, 'tracking.utm_term'),
    content: textAt(told, 'tracking.utm_content'),
  })
  return Object.keys(campaign).length === 0 ? {} : { campaign }
}
