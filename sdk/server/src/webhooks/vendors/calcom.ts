import { fromMinor } from '../money.ts'
import { identify, known, mapped, type Normalised, unmapped, type Who, withMoney } from '../normal-form.ts'
import { at, isPayload, textAt, timeAt } from '../payload.ts'
import { bodyHmac } from '../schemes.ts'
import { compositeId, readObject, type Vendor, type VendorEvent } from '../vendor.ts'

export const calcom: Vendor = {
  provider: 'calcom',
  normalise,
  // Without a secret the header is no-secret-provided, which is refused like any wrong signature.
  verify: bodyHmac({ headers: ['x-cal-signature-256'], encoding: 'hex', digest: 'SHA-256' }),
  read: (body) =>
    readObject(body, (payload) => {
      // A webhook with a custom template may contain anything.
      const type = textAt(payload, 'triggerEvent') ?? 'unknown'
      return {
        id:
          compositeId(payload, 'triggerEvent', 'payload.uid', 'createdAt') ??
          compositeId(payload, 'triggerEvent', 'payload.formId', 'createdAt'),
        type,
        occurredAt: timeAt(payload, 'createdAt', 'iso') ?? null,
        isHandshake: type === 'PING',
      }
    }),
}

function normalise({ type, occurredAt, payload }: VendorEvent): Normalised {
  const content = at(payload, 'payload')
  switch (type) {
    case 'BOOKING_CREATED':
      return booking(content, occurredAt)
    case 'BOOKING_PAID':
      return payment(content, occurredAt)
    case 'FORM_SUBMITTED':
      return routing(content, occurredAt, textAt(payload, 'createdAt'))
    // Another time for a booking that was already counted.
    case 'BOOKING_RESCHEDULED':
      return unmapped('told_elsewhere')
    default:
      return unmapped('no_rule')
  }
}

const bookerOf = (content: unknown): Who => ({ email: textAt(content, 'attendees.0.email') })

function booking(content: unknown, occurredAt: number | null): Normalised {
  const uid = textAt(content, 'uid')
  if (uid === undefined) return unmapped('incomplete')
  const who = bookerOf(content)
  const name = textAt(content, 'attendees.0.name')
  return mapped(
    {
      event: '$form_submit',
      key: `booking:${uid}`,
      who,
      occurredAt,
      properties: known({
        form_id: textAt(content, 'eventTypeId') ?? textAt(content, 'type') ?? 'calcom',
        form_name: textAt(content, 'eventTitle'),
        field_count: answersOf(content).length,
      }),
    },
    identify(`booking:${uid}:identify`, who, occurredAt, { email: who.email, name }),
  )
}

/** The price of the event type, in the smallest unit of its currency, as it was paid. */
function payment(content: unknown, occurredAt: number | null): Normalised {
  const uid = textAt(content, 'uid')
  if (uid === undefined) return unmapped('incomplete')
  const orderId = textAt(content, 'metadata.externalId') ?? uid
  return withMoney(fromMinor('calcom', at(content, 'price'), at(content, 'currency')), (price) => ({
    event: '$purchase',
    key: `payment:${orderId}`,
    who: bookerOf(content),
    occurredAt,
    properties: { ...price, order_id: orderId },
  }))
}

function routing(content: unknown, occurredAt: number | null, sentAt: string | undefined): Normalised {
  const formId = textAt(content, 'formId')
  if (formId === undefined) return unmapped('incomplete')
  const answers = answersOf(content)
  const email = answers.filter((answer) => typeof answer === 'string').find(isAddress)
  return mapped({
    event: '$form_submit',
    key: `form:${formId}:${sentAt}`,
    who: { email },
    occurredAt,
    properties: known({
      form_id: formId,
      form_name: textAt(content, 'formName'),
      field_count: answers.length,
    }),
  })
}

const isAddress = (text: string) => /^\S+@\S+\.\S+$/.test(text)

/** The answers; an unanswered question has a label and no value. */
function answersOf(content: unknown): unknown[] {
  const responses = at(content, 'responses')
  if (!isPayload(responses)) return []
  const values = Object.values(responses).map((response) => at(response, 'value'))
  return values.filter((value) => value !== undefined && value !== '')
}
