import { randomFillSync } from 'node:crypto'
import { ulid } from 'ulid'

/** The clock is passed in: nothing else reads the time or makes ids. */
export type Clock = () => number
export type NewId = (prefix: string) => string

export const systemClock: Clock = () => Date.now()

/** As the API writes a time; the store gives milliseconds as text. */
export const iso = (ms: number | string): string => new Date(Number(ms)).toISOString()

/** Asking the system for random bytes costs the same for one as for hundreds; an id takes sixteen. */
const randomPool = new Uint8Array(1_024)
let randomLeft = 0

/** From 0 up to 1, in 256 steps; an id takes five bits of each. */
function nextRandom(): number {
  if (randomLeft === 0) {
    randomFillSync(randomPool)
    randomLeft = randomPool.length
  }
  randomLeft -= 1
  return (randomPool[randomLeft] ?? 0) / 256
}

/** A prefix and a sortable random body, such as `site_01k9…`. */
export const newId: NewId = (prefix) => `${prefix}_${ulid(undefined, nextRandom).toLowerCase()}`

/** Prefixes of the ids of rows and files. */
export const idPrefixes = [
  'alr',
  'ann',
  'anm',
  'aud',
  'bfl',
  'brd',
  'con',
  'dec',
  'dgd',
  'dgr',
  'dig',
  'drf',
  'dsr',
  'dst',
  'erl',
  'evt',
  'exp',
  'fir',
  'gen',
  'goal',
  'imp',
  'job',
  'key',
  'map',
  'mrg',
  'msg',
  'note',
  'rep',
  'run',
  'shr',
  'site',
  'usr',
  'whd',
  'ws',
] as const
export type IdPrefix = (typeof idPrefixes)[number]

/** Crockford's alphabet, as in a ULID: no character is special in a path, a text or a statement. */
const idBody = '[0-9a-hjkmnp-tv-z]{26}'
const idShapes: ReadonlyMap<string, RegExp> = new Map(
  idPrefixes.map((prefix) => [prefix, new RegExp(`^${prefix}_${idBody}$`)]),
)

/** Whether a text is an id made by `newId` with this prefix. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return idShapes.get(prefix)?.test(text) === true
}
