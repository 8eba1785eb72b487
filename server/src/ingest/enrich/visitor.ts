import { createHmac } from 'node:crypto'
import { readAddress } from './country/ip-address.ts'

interface VisitorFacts {
  readonly siteId: string
  /** The calendar day of the site, `2026-03-01`. */
  readonly day: string
  readonly ip: string
  readonly userAgent: string
}

/**
 * An id for a visitor without storage. It is stable for one day on one site and meaningless afterwards: the
 * salt of a day is random and deleted, so neither the address nor the next day's id can be derived from it.
 * The address is shortened first, so that a leaked salt would not reveal a household. Without an address
 * everyone with the same browser would be one visitor; then there is no id.
 */
export function visitorId(facts: VisitorFacts, saltFor: (day: string) => Uint8Array): string | null {
  const network = networkOf(facts.ip)
  if (network === '') return null
  const digest = createHmac('sha256', saltFor(facts.day))
    // Length prefixes keep the parts unambiguous.
    .update(
      `${facts.siteId.length}:${facts.siteId}${facts.day.length}:${facts.day}${network} ${facts.userAgent}`,
    )
    .digest()
  // 128 bits: among 10^9 visitors of a day two share an id with a chance of about 10^-21.
  return `vis_${digest.subarray(0, 16).toString('base64url')}`
}

/** The /24 of an IPv4 address, the /48 of an IPv6 address: a neighbourhood of customers, not one of them. */
export function networkOf(ip: string): string {
  const address = readAddress(ip)
  if (address === null) return ''
  if (address.version === 4) return `4:${address.high >>> 8}`
  return `6:${address.high}.${address.low >>> 16}`
}
