import { identify, known, mapped, type Normalised, unmapped, type Who } from '../normal-form.ts'
import { at, firstText, isPayload, numberAt, textAt, timeAt } from '../payload.ts'
import { bodyHmac } from '../schemes.ts'
import { readObject, type Vendor, type VendorEvent } from '../vendor.ts'

export const intercom: Vendor = {
  provider: 'intercom',
  normalise,
  verify: bodyHmac({ headers: ['x-hub-signature'], prefix: 'sha1=', encoding: 'hex', digest: 'SHA-1' }),
  read: (body) =>
    readObject(body, (payload) => {
      const topic = textAt(payload, 'topic') ?? 'unknown'
      return {
        id: textAt(payload, 'id') ?? null,
        type: topic,
        occurredAt: timeAt(payload, 'created_at', 's') ?? null,
        isHandshake: topic === 'ping',
      }
    }),
}

function normalise({ id, type, occurredAt, payload }: VendorEvent): Normalised {
  const item = at(payload, 'data.item')
  switch (type) {
    case 'contact.user.created':
    case 'visitor.signed_up':
    case 'contact.lead.signed_up':
      return person(item, id, occurredAt, true)
    case 'contact.user.updated':
    case 'contact.email.updated':
      return person(item, id, occurredAt, false)
    case 'conversation.rating.added':
      return rating(at(item, 'conversation_rating'), id, occurredAt)
    case 'ticket.rating.provided':
      return rating(at(item, 'ticket_rating') ?? item, id, occurredAt)
    case 'event.created':
      return passedOn(item, id, occurredAt)
    default:
      return type.startsWith('content_stat.') ? content(item, type, id, occurredAt) : unmapped('no_rule')
  }
}

function whoOf(contact: unknown): Who {
  return {
    userId: textAt(contact, 'external_id'),
    vendorId: textAt(contact, 'id'),
    email: textAt(contact, 'email'),
  }
}

function person(contact: unknown, id: string | null, occurredAt: number | null, isNew: boolean): Normalised {
  const who = whoOf(contact)
  const identified = identify(`identify:${id}`, who, occurredAt, {
    email: who.email,
    name: textAt(contact, 'name'),
  })
  if (!isNew) return mapped(identified)
  const properties = { method: 'intercom' }
  return mapped(
    { event: '$signup', key: `contact:${who.vendorId}:signup`, who, occurredAt, properties },
    identified,
  )
}

function rating(conversation: unknown, id: string | null, occurredAt: number | null): Normalised {
  const score = numberAt(conversation, 'rating')
  if (score === undefined) return unmapped('incomplete')
  return mapped({
    event: '$feedback',
    key: `rating:${id}`,
    who: whoOf(at(conversation, 'contact')),
    occurredAt,
    properties: known({ score, comment: textAt(conversation, 'remark'), type: 'csat' }),
  })
}

/** Events tracked with Intercom keep their own name, and the gate decides. */
function passedOn(item: unknown, id: string | null, occurredAt: number | null): Normalised {
  const event = firstText(item, 'event_name', 'name')
  if (event === undefined) return unmapped('incomplete')
  const metadata = at(item, 'metadata')
  return mapped({
    event,
    key: `event:${id}`,
    who: {
      userId: textAt(item, 'user_id'),
      vendorId: textAt(item, 'intercom_user_id'),
      email: textAt(item, 'email'),
    },
    occurredAt: timeAt(item, 'created_at', 's') ?? occurredAt,
    properties: isPayload(metadata) ? metadata : {},
  })
}

function content(item: unknown, type: string, id: string | null, occurredAt: number | null): Normalised {
  const stat = textAt(item, 'stat_type')
  const contentId = firstText(item, 'content_id', 'content.id', 'id')
  const who: Who = {
    vendorId: firstText(item, 'contact_id', 'contact.id'),
    email: textAt(item, 'contact.email'),
  }
  if (contentId === undefined) return unmapped('incomplete')
  if (type === 'content_stat.survey' && stat === 'completion') {
    const properties = known({ form_id: contentId, form_name: textAt(item, 'content_title') })
    return mapped({ event: '$form_submit', key: `stat:${id}`, who, occurredAt, properties })
  }
  if (stat !== 'click') return unmapped('no_rule')
  const properties = known({ element: contentId, text: textAt(item, 'content_title'), channel: 'intercom' })
  return mapped({ event: '$click', key: `stat:${id}`, who, occurredAt, properties })
}
