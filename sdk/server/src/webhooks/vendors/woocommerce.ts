import { readUtf8, utf8 } from '../bytes.ts'
import { timeAt } from '../payload.ts'
import { bodyHmac, type KeysOf } from '../schemes.ts'
import { compositeId, readObject, type Vendor } from '../vendor.ts'

const entities: readonly (readonly [RegExp, string])[] = [
  [/&lt;|&#0?60;/g, '<'],
  [/&gt;|&#0?62;/g, '>'],
  [/&quot;|&#0?34;|&#x22;/g, '"'],
  [/&#0?39;|&#x27;/g, "'"],
  // Last, so that what it uncovers is not decoded a second time.
  [/&amp;|&#0?38;/g, '&'],
]

/** WordPress keeps a secret with `&` or quotes as HTML and signs with its plain form; either may have been copied. */
const plainOrEncodedKey: KeysOf = (secret) => {
  const plain = entities.reduce((text, [entity, character]) => text.replace(entity, character), secret)
  return plain === secret ? [utf8(secret)] : [utf8(secret), utf8(plain)]
}

/** Sent once when the webhook is saved, without a signature. */
const ping = /^webhook_id=\d+$/

export const woocommerce: Vendor = {
  provider: 'woocommerce',
  verify: bodyHmac({
    headers: ['x-wc-webhook-signature'],
    encoding: 'base64',
    digest: 'SHA-256',
    keysOf: plainOrEncodedKey,
  }),
  isHandshake: (body, header) =>
    header('x-wc-webhook-signature') === undefined && ping.test(readUtf8(body)?.trim() ?? ''),
  read: (body, header) =>
    readObject(body, (payload) => {
      const topic = header('x-wc-webhook-topic') ?? 'unknown'
      // The delivery id changes with every redelivery, so what it is about and when that changed stand for it.
      const state = compositeId(payload, 'id', 'date_modified_gmt')
      return {
        id: state === null ? null : `${topic}:${state}`,
        type: topic,
        occurredAt:
          timeAt(payload, 'date_modified_gmt', 'iso') ?? timeAt(payload, 'date_created_gmt', 'iso') ?? null,
      }
    }),
}
