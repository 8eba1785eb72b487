import { isIPv4, isIPv6 } from 'node:net'

/** Of an address of version 6, a customer of a provider chooses the other 64 bits freely, so they count as one. */
const networkGroups = 4
/** What a proxy hands on that is no address, all together. */
const unknownSource = 'unknown'

/** By what callers without a credential, or with a wrong one, are counted: the address, however it is written. */
export function sourceOf(address: string): string {
  // Some proxies append the port, which is another one with every connection.
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

/** All eight, also where the address is written with a gap or ends like one of version 4. */
function groupsOf(address: string): number[] {
  const host = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [front = '', back] = host.split('::')
  const parse = (part: string | undefined) =>
    part === undefined || part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const [first, last] = [parse(front), parse(back)]
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last]
}
