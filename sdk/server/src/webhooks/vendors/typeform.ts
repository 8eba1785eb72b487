import { known, mapped, type Normalised, type NormalisedEvent, unmapped, type Who } from '../normal-form.ts'
import { at, firstText, listAt, numberAt, textAt, timeAt } from '../payload.ts'
import { bodyHmac } from '../schemes.ts'
import { readObject, type Vendor, type VendorEvent } from '../vendor.ts'

export const typeform: Vendor = {
  provider: 'typeform',
  normalise,
  // Looks like GitHub's header, but the signature is base64.
  verify: bodyHmac({
    headers: ['typeform-signature'],
    prefix: 'sha256=',
    encoding: 'base64',
    digest: 'SHA-256',
  }),
  read: (body) =>
    readObject(body, (payload) => ({
      id: textAt(payload, 'event_id') ?? null,
      type: textAt(payload, 'event_type') ?? 'unknown',
      occurredAt: timeAt(payload, 'form_response.submitted_at', 'iso') ?? null,
    })),
}

const scales: Readonly<Record<string, string>> = {
  nps: 'nps',
  opinion_scale: 'opinion_scale',
  rating: 'rating',
}

function normalise({ type, occurredAt, payload }: VendorEvent): Normalised {
  const response = at(payload, 'form_response')
  // A partly completed form is sent too.
  if (type === 'form_response_partial') return unmapped('not_final')
  if (type !== 'form_response') return unmapped('no_rule')
  const formId = textAt(response, 'form_id')
  const token = firstText(response, 'token') ?? textAt(payload, 'event_id')
  if (formId === undefined) return unmapped('incomplete')
  const answers = listAt(response, 'answers')
  const who: Who = {
    userId: textAt(response, 'hidden.user_id'),
    email: answers.map((answer) => textAt(answer, 'email')).find((email) => email !== undefined),
  }
  const submitted: NormalisedEvent = {
    event: '$form_submit',
    key: `response:${token}`,
    who,
    occurredAt,
    properties: known({
      form_id: formId,
      form_name: textAt(response, 'definition.title'),
      field_count: answers.length,
    }),
  }
  const scored = answers.flatMap((answer) => feedback(answer, response, `${token}`, who, occurredAt))
  return mapped(submitted, ...scored)
}

/** The answer names its field; the type of question is in the definition, and with newer ones also here. */
function feedback(
  answer: unknown,
  response: unknown,
  token: string,
  who: Who,
  occurredAt: number | null,
): NormalisedEvent[] {
  const fieldId = textAt(answer, 'field.id')
  const field = listAt(response, 'definition.fields').find((one) => textAt(one, 'id') === fieldId)
  const type = scales[textAt(field, 'type') ?? textAt(answer, 'field.type') ?? '']
  const score = numberAt(answer, 'number')
  if (type === undefined || score === undefined) return []
  const properties = known({
    score,
    type,
    form_id: textAt(response, 'form_id'),
    question: textAt(field, 'title'),
  })
  return [{ event: '$feedback', key: `response:${token}:${fieldId}`, who, occurredAt, properties }]
}
