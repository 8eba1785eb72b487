import { lookup } from 'node:dns'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'

export type Deliver = (url: string, headers: Record<string, string>, body: string) => Promise<number>

export class AddressRefused extends Error {
  override name = 'AddressRefused'
}

/** Addresses of this machine and private networks (IANA special-purpose registries). */
const inside = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  inside.addSubnet(network, bits, 'ipv4')
}
for (const [network, bits] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  inside.addSubnet(network, bits, 'ipv6')
}

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** Whether the address is not public. */
export function isInside(address: string): boolean {
  const ipv4 = mapped.exec(address)?.[1]
  if (ipv4 !== undefined) return isInside(ipv4)
  const kind = isIP(address)
  if (kind === 0) return true
  return inside.check(address, kind === 4 ? 'ipv4' : 'ipv6')
}

/** Looks a name up, and refuses it where any of its addresses leads inside. */
export const checkedLookup =
  (allowsInside: boolean): LookupFunction =>
  (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, [])
      const refused = allowsInside ? undefined : addresses.find(({ address }) => isInside(address))
      if (refused !== undefined) return done(new AddressRefused('the address leads inside'), [])
      const [first] = addresses
      if (options.all === true || first === undefined) return done(null, addresses)
      done(null, first.address, first.family)
    })
  }

/** An address that is written as a number is never looked up. */
export function isRefused({ hostname }: URL, allowsInside: boolean): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return !allowsInside && isIP(host) !== 0 && isInside(host)
}

/** A callback is short; a slower receiver is tried again later. */
const timeoutMs = 10_000

/**
 * Posts to an address that a user chose. It is checked at the moment of connecting, so that a name cannot
 * resolve to one address when it is checked and another when it is used; redirects are not followed.
 */
export function createDelivery(allowsInside: boolean): Deliver {
  return (url, headers, body) =>
    new Promise((resolve, reject) => {
      const target = new URL(url)
      if (isRefused(target, allowsInside)) return reject(new AddressRefused('the address leads inside'))
      const send = target.protocol === 'https:' ? requestHttps : requestHttp
      const sent = send(target, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...headers,
        },
        lookup: checkedLookup(allowsInside),
        signal: AbortSignal.timeout(timeoutMs),
      })
      sent.on('error', reject)
      sent.on('response', (response) => {
        response.resume()
        response.on('error', reject)
        response.on('end', () => resolve(response.statusCode ?? 0))
      })
      sent.end(body)
    })
}

/** What the owner of the receiver can do something with; nothing of where an inside address leads. */
export function deliveryFault(answer: unknown): string {
  if (typeof answer === 'number') return `The receiver responded with ${answer}.`
  if (answer instanceof AddressRefused)
    return 'The URL points to a private network, which the operator does not allow.'
  if (answer instanceof Error && answer.name === 'TimeoutError')
    return 'The receiver did not respond in time.'
  return 'The receiver could not be reached.'
}
