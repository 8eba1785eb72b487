import type { Chunk } from '../tally/chunk.ts'
import { rowFlags } from '../tally/row-store.ts'
import { orderedBy } from '../tally/tally.ts'
import { countOwners, listOwners, type Marks, type OwnerLists } from './owners.ts'

/** What is counted of each key of some rows, for the keys that occur, in ascending order. */
export type KeyRollup = {
  keys: Int32Array
  /** Rows of any kind, and those that match. */
  rows: Int32Array
  events: Int32Array
  people: OwnerLists
  sessions: OwnerLists
}

type OwnerMarks = { people: Marks; sessions: Marks }

/** Rows with the key -1 are left out. */
export function rollUpBy(chunk: Chunk, keyOf: Int32Array, keyCount: number, marks: OwnerMarks): KeyRollup {
  const ordered = orderedBy(keyOf, keyCount)
  const { order, starts } = ordered
  const present: number[] = []
  for (let key = 0; key < keyCount; key += 1) if (starts[key] !== starts[key + 1]) present.push(key)
  const keys = Int32Array.from(present)
  const [rows, events] = [new Int32Array(keys.length), new Int32Array(keys.length)]
  for (let index = 0; index < keys.length; index += 1) {
    const [begin, end] = [starts[keys[index] ?? 0] ?? 0, starts[(keys[index] ?? 0) + 1] ?? 0]
    let matching = 0
    for (let place = begin; place < end; place += 1)
      matching += (chunk.flags[order[place] ?? 0] ?? 0) & rowFlags.match
    rows[index] = end - begin
    events[index] = matching
  }
  return {
    keys,
    rows,
    events,
    people: listOwners(keys, ordered, chunk.person, marks.people),
    sessions: listOwners(keys, ordered, chunk.session, marks.sessions),
  }
}

/** Figures of each key, from 0: rows of any kind, events that match, distinct people and sessions. */
export type Tally = { rows: Int32Array; events: Int32Array; visitors: Int32Array; sessions: Int32Array }

/** The numbers of people are those of today. */
export type Crowd = { sessions: number; people: number; current: Int32Array | null }

export function tallyKeys(rollups: readonly KeyRollup[], keyCount: number, crowd: Crowd): Tally {
  const [rows, events] = [new Int32Array(keyCount), new Int32Array(keyCount)]
  for (const own of rollups) {
    for (let index = 0; index < own.keys.length; index += 1) {
      const key = own.keys[index] ?? 0
      rows[key] = (rows[key] ?? 0) + (own.rows[index] ?? 0)
      events[key] = (events[key] ?? 0) + (own.events[index] ?? 0)
    }
  }
  const lists = <Kind extends 'people' | 'sessions'>(kind: Kind) => rollups.map((one) => one[kind])
  return {
    rows,
    events,
    visitors: countOwners(lists('people'), keyCount, crowd.people, crowd.current),
    sessions: countOwners(lists('sessions'), keyCount, crowd.sessions, null),
  }
}

export const bytesOfKeyRollup = ({ keys, rows, events, people, sessions }: KeyRollup): number =>
  [keys, rows, events, people.starts, people.owners, sessions.starts, sessions.owners].reduce(
    (sum, column) => sum + column.byteLength,
    0,
  )
