import { isIPv4, isIPv6 } from 'node:net'
import { rememberRecent } from '../../platform/recent-cache.ts'

/** The other 64 bits of an IPv6 address are chosen by the customer of a provider, so they count as one. */
const networkGroups = 4
/** Groups everything forwarded by a proxy that is not an address. */
const unknownSource = 'unknown'

/** Of current senders; a limit remembers them as well. */
const rememberedAddresses = 4_096

/** Normalised address by which callers without a valid credential are counted. */
export const sourceOf: (address: string) => string = rememberRecent(readSource, rememberedAddresses)

function readSource(address: string): string {
  // Some proxies append the port, which differs with every connection.
  const bare = address.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
  if (isIPv4(bare)) return bare
  const [withoutZone = ''] = bare.split('%')
  if (!isIPv6(withoutZone)) return unknownSource
  const groups = groupsOf(withoutZone)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped)
    return [groups[6] ?? 0, groups[7] ?? 0].flatMap((group) => [group >> 8, group & 255]).join('.')
  const network = groups.slice(0, networkGroups).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}

/** All eight groups, also of a compressed address or one that ends in IPv4 notation. */
function groupsOf(address: string): number[] {
  const host = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [front = '', back] = host.split('::')
  const parse = (part: string | undefined) =>
    part === undefined || part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const [first, last] = [parse(front), parse(back)]
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last]
}
