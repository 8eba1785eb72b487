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
  const invitee = at(payload, 'payload')
  if (type === 'routing_form_submission.created') return routing(invitee, occurredAt)
  if (type !== 'invitee.created') return unmapped('no_rule')
  // A new time is sent as a cancellation and a new booking: the booking was counted when it was made.
  if (textAt(invitee, 'old_invitee') !== undefined) return unmapped('told_elsewhere')
  const uri = textAt(invitee, 'uri')
  const email = textAt(invitee, 'email')
  const who: Who = { email }
  const context = campaignOf(invitee)
  const events: NormalisedEvent[] = [
    {
      event: '$form_submit',
      key: `invitee:${uri}`,
      who,
      occurredAt,
      properties: known({
        form_id: textAt(invitee, 'scheduled_event.event_type') ?? 'calendly',
        form_name: textAt(invitee, 'scheduled_event.name'),
        field_count: listAt(invitee, 'questions_and_answers').length,
      }),
      context,
    },
    identify(`invitee:${uri}:identify`, who, occurredAt, { email, name: textAt(invitee, 'name') }),
  ]
  if (flagAt(invitee, 'payment.successful') !== true) return mapped(...events)
  const money = fromMajor(at(invitee, 'payment.amount'), at(invitee, 'payment.currency'))
  if (money === null) return { ...mapped(...events), unmapped: 'amount_unknown' }
  const orderId = textAt(invitee, 'payment.external_id')
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

function routing(invitee: unknown, occurredAt: number | null): Normalised {
  const formId = textAt(invitee, 'routing_form')
  if (formId === undefined) return unmapped('incomplete')
  const answers = listAt(invitee, 'questions_and_answers')
  const email = answers
    .map((answer) => textAt(answer, 'answer'))
    .find((text) => /^\S+@\S+\.\S+$/.test(text ?? ''))
  return mapped({
    event: '$form_submit',
    key: `submission:${textAt(invitee, 'uri')}`,
    who: { email },
    occurredAt,
    properties: { form_id: formId, field_count: answers.length },
    context: campaignOf(invitee),
  })
}

function campaignOf(invitee: unknown): Record<string, unknown> {
  const campaign = known({
    source: textAt(invitee, 'tracking.utm_source'),
    medium: textAt(invitee, 'tracking.utm_medium'),
    name: textAt(invitee, 'tracking.utm_campaign'),
    term: textAt(invitee, 'tracking.utm_term'),
    content: textAt(invitee, 'tracking.utm_content'),
  })
  return Object.keys(campaign).length === 0 ? {} : { campaign }
}
