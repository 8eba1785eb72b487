/**
 * The part of an IP address that determines its location: all 32 bits of version 4 in `high`, the first 64
 * bits of version 6 in `high` and `low` (the device chooses the rest, and no registry assigns less than a
 * /64).
 */
interface Address {
  readonly version: 4 | 6
  readonly high: number
  readonly low: number
}

/** The longest notation, with an embedded IPv4 and a zone, has fewer than 64 characters. */
const addressCharsMax = 64

/** A hand-written parser, since this runs for every request; `null` for invalid addresses. */
export function readAddress(text: string): Address | null {
  if (text.length > addressCharsMax) return null
  if (!text.includes(':')) {
    const high = readVersion4(text, 0, text.length)
    return high < 0 ? null : { version: 4, high, low: 0 }
  }
  const zone = text.indexOf('%')
  return readVersion6(text, zone < 0 ? text.length : zone)
}

/** The number of a dotted address, or −1. */
function readVersion4(text: string, from: number, end: number): number {
  let value = 0
  let part = -1
  let dots = 0
  for (let index = from; index < end; index++) {
    const digit = text.charCodeAt(index) - 48
    if (digit >= 0 && digit <= 9) {
      part = (part < 0 ? 0 : part * 10) + digit
      if (part > 255) return -1
    } else if (digit === -2 && part >= 0 && dots < 3) {
      value = value * 256 + part
      part = -1
      dots++
    } else return -1
  }
  return dots === 3 && part >= 0 ? value * 256 + part : -1
}

function readVersion6(text: string, end: number): Address | null {
  const groups: number[] = []
  let gap = -1
  let position = 0
  if (text.startsWith('::')) {
    gap = 0
    position = 2
  }
  while (position < end) {
    const stop = endOfGroup(text, position, end)
    // The last 32 bits may be written as an IPv4 address.
    if (text.charCodeAt(stop) === dot) {
      const embedded = readVersion4(text, position, end)
      if (embedded < 0) return null
      groups.push(Math.floor(embedded / 0x10000), embedded % 0x10000)
      break
    }
    if (stop === position || stop - position > 4) return null
    groups.push(Number.parseInt(text.slice(position, stop), 16))
    position = stop + 1
    if (stop === end) break
    if (text.charCodeAt(stop) !== colon || position === end) return null
    if (text.charCodeAt(position) === colon) {
      if (gap >= 0) return null
      gap = groups.length
      position++
    }
  }
  return fromGroups(groups, gap)
}

const dot = 46
const colon = 58

function endOfGroup(text: string, from: number, end: number): number {
  let position = from
  while (position < end && isHexDigit(text.charCodeAt(position))) position++
  return position
}

function isHexDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102)
}

/** The gap is at least one group of zeros; without one there must be all eight groups. */
function fromGroups(groups: readonly number[], gap: number): Address | null {
  if (gap < 0 ? groups.length !== 8 : groups.length > 7) return null
  const zeros = 8 - groups.length
  const at = (index: number) => {
    if (gap < 0 || index < gap) return groups[index] ?? 0
    return index < gap + zeros ? 0 : (groups[index - zeros] ?? 0)
  }
  const high = at(0) * 0x10000 + at(1)
  const low = at(2) * 0x10000 + at(3)
  // ::ffff:1.2.3.4 is how a socket that serves both versions names an IPv4 peer.
  const isMapped = high === 0 && low === 0 && at(4) === 0 && at(5) === 0xffff
  return isMapped ? { version: 4, high: at(6) * 0x10000 + at(7), low: 0 } : { version: 6, high, low }
}

interface Network {
  readonly first: number
  readonly bits: number
}

/**
 * Networks without a location: the local machine, private and carrier-internal networks, documentation,
 * multicast (RFC 6890). As the first bits of the address and their number.
 */
const nowhere4: readonly Network[] = [
  { first: 0x0000_0000, bits: 8 },
  { first: 0x0a00_0000, bits: 8 },
  { first: 0x6440_0000, bits: 10 },
  { first: 0x7f00_0000, bits: 8 },
  { first: 0xa9fe_0000, bits: 16 },
  { first: 0xac10_0000, bits: 12 },
  { first: 0xc0a8_0000, bits: 16 },
  { first: 0xe000_0000, bits: 3 },
]
const nowhere6: readonly Network[] = [
  { first: 0x0000_0000, bits: 8 },
  { first: 0x2001_0db8, bits: 32 },
  { first: 0xfc00_0000, bits: 7 },
  { first: 0xfe80_0000, bits: 10 },
  { first: 0xff00_0000, bits: 8 },
]

/** Whether an address can belong to a visitor from the Internet. */
export function isSomewhere({ version, high }: Address): boolean {
  for (const network of version === 4 ? nowhere4 : nowhere6) {
    if ((network.first ^ high) >>> (32 - network.bits) === 0) return false
  }
  return true
}
