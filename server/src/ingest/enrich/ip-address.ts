/**
 * The part of an IP address that says where it is: all 32 bits of version 4 in `high`, the first 64 bits of version 6
 * in `high` and `low` (the rest is chosen by the device, and no registry hands out less than a /64).
 */
export interface Address {
  readonly version: 4 | 6
  readonly high: number
  readonly low: number
}

/** The longest way to write an address, with an embedded IPv4 and a zone, stays under 64 characters. */
const addressCharsMax = 64

/** Reads an address by hand, since this runs for every event; `null` for what is none. */
export function readAddress(text: string): Address | null {
  if (text.length > addressCharsMax) return null
  if (!text.includes(':')) {
    const high = readVersion4(text, 0)
    return high < 0 ? null : { version: 4, high, low: 0 }
  }
  const zone = text.indexOf('%')
  return readVersion6(zone < 0 ? text : text.slice(0, zone))
}

/** The number of a dotted address that starts at `from`, or −1. */
function readVersion4(text: string, from: number): number {
  let value = 0
  let part = -1
  let dots = 0
  for (let index = from; index < text.length; index++) {
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

function readVersion6(text: string): Address | null {
  const halves = text.split('::')
  if (halves.length > 2) return null
  const front = readGroups(halves[0] ?? '')
  const back = halves.length === 2 ? readGroups(halves[1] ?? '') : []
  if (front === null || back === null) return null
  const missing = 8 - front.length - back.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null
  const groups = [...front, ...new Array<number>(missing).fill(0), ...back]
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups
  // ::ffff:1.2.3.4 is how a socket that serves both versions names an IPv4 peer.
  if (a + b + c + d + e === 0 && f === 0xffff) return { version: 4, high: g * 0x10000 + h, low: 0 }
  return { version: 6, high: a * 0x10000 + b, low: c * 0x10000 + d }
}

function readGroups(text: string): number[] | null {
  if (text === '') return []
  const groups: number[] = []
  for (const group of text.split(':')) {
    if (group.includes('.')) {
      const embedded = readVersion4(group, 0)
      if (embedded < 0) return null
      groups.push(Math.floor(embedded / 0x10000), embedded % 0x10000)
    } else if (/^[\da-f]{1,4}$/i.test(group)) groups.push(Number.parseInt(group, 16))
    else return null
  }
  return groups
}
