import { fullName, identify, known, mapped, type Normalised, unmapped } from '../normal-form.ts'
import { at, textAt, timeAt } from '../payload.ts'
import { standardSecretRefusal, standardWebhooks } from '../standard-webhooks.ts'
import { readObject, type Vendor, type VendorEvent } from '../vendor.ts'

export const resend: Vendor = {
  provider: 'resend',
  normalise,
  secretRefusal: standardSecretRefusal,
  verify: standardWebhooks({ brands: ['svix'] }),
  read: (body, header) =>
    readObject(body, (payload) => ({
      id: header('svix-id') ?? null,
      type: textAt(payload, 'type') ?? 'unknown',
      occurredAt: timeAt(payload, 'created_at', 'iso') ?? null,
    })),
}

function normalise({ id, type, occurredAt, payload }: VendorEvent): Normalised {
  const data = at(payload, 'data')
  switch (type) {
    case 'email.clicked': {
      const url = textAt(data, 'click.link')
      if (url === undefined) return unmapped('incomplete')
      return mapped({
        event: '$click',
        key: `click:${id}`,
        who: { email: textAt(data, 'to.0') },
        occurredAt: timeAt(data, 'click.timestamp', 'iso') ?? occurredAt,
        properties: known({ element: url, url, channel: 'email', message_id: textAt(data, 'email_id') }),
        context: known({ ip: textAt(data, 'click.ipAddress'), userAgent: textAt(data, 'click.userAgent') }),
      })
    }
    case 'contact.created':
    case 'contact.updated': {
      const email = textAt(data, 'email')
      const name = fullName(textAt(data, 'first_name'), textAt(data, 'last_name'))
      const who = { vendorId: textAt(data, 'id'), email }
      return mapped(identify(`identify:${id}`, who, occurredAt, { email, name }))
    }
    default:
      return unmapped('no_rule')
  }
}
