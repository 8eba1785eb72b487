import { at, mix, scramble } from '../random.ts'

/** Writing 32 bits by toString(16) took most of the generator's time; looking them up does not. */
const hex4 = Array.from({ length: 0x1_0000 }, (_, value) => value.toString(16).padStart(4, '0'))
const quad = (value: number): string => at(hex4, value & 0xffff)
const hex8 = (value: number): string => quad(value >>> 16) + quad(value)

/** Ids that a seed decides. A permuted counter makes them unique in a run, the seed's hash between runs. */
export type Ids = {
  readonly event: (tsMs: number) => string
  readonly visitor: (index: number) => string
  readonly user: (index: number) => string
  readonly session: (index: number) => string
  readonly order: () => string
}

export function makeIds(seed: number): Ids {
  const salt = mix(seed, 0x5eed)
  const saltHex = hex8(salt)
  const version = `7${saltHex.slice(0, 3)}`
  const saltTail = saltHex.slice(4)
  let events = 0
  let orders = 0
  return {
    // The shape of a UUID version 7: time first, then a unique tail.
    event: (tsMs) => {
      events += 1
      const highTime = Math.floor(tsMs / 0x1_0000)
      const unique = scramble(events)
      // A UUID keeps two bits of this group for its variant, so the unique number stands whole in the last.
      const variant = quad(0x8000 | (mix(events, salt) & 0x3fff))
      return `${hex8(highTime)}-${quad(tsMs)}-${version}-${variant}-${hex8(unique)}${saltTail}`
    },
    visitor: (index) => `${hex8(scramble(index))}${hex8(mix(index, salt))}`,
    user: (index) => `user_${hex8(scramble(index ^ salt))}`,
    session: (index) => `${hex8(mix(index, salt))}${hex8(scramble(index))}`,
    order: () => {
      orders += 1
      return `${saltHex.slice(0, 4)}-${(1_000_000 + orders).toString()}`
    },
  }
}
