import { bodyHmac } from '../schemes.ts'
import { readObject, type Vendor } from '../vendor.ts'

export const github: Vendor = {
  provider: 'github',
  // The SHA-1 header that GitHub sends beside it is not read.
  verify: bodyHmac({
    headers: ['x-hub-signature-256'],
    prefix: 'sha256=',
    encoding: 'hex',
    digest: 'SHA-256',
  }),
  // A form-encoded body is signed as well, but is no JSON and so refused as unreadable.
  read: (body, header) =>
    readObject(body, () => {
      const type = header('x-github-event') ?? 'unknown'
      return { id: header('x-github-delivery') ?? null, type, isHandshake: type === 'ping' }
    }),
}
