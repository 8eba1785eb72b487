import { KeyNumbers } from '../sequences/key-numbers.ts'
import { type Chunk, eachText, type RowText, readChunk } from './chunk.ts'
import { newRowNumbers, type RowNumbers } from './row-numbers.ts'

/** What the store answered, before anything is counted. `merges` is null where no one of the workspace was merged. */
export type RawRows = { rows: Uint8Array<ArrayBuffer>; merges: Uint8Array<ArrayBuffer> | null }

/** A text of each event, by its number in a list without repetitions. */
export type TextColumn = { texts: readonly string[]; numbers: Int32Array }

/** Events as columns, with what their numbers stand for. People are those of today, after all merges. */
export type EventRows = Omit<Chunk, 'texts'> &
  Record<RowText, TextColumn> & {
    sessions: number
    people: number
    currencies: readonly string[]
    /** The number of a person of today, by the halves of their key; -1 where no event is theirs. */
    personNumber: (low: number, high: number) => number
  }

/** Rows as they are kept, chunk by chunk, before they are put together. */
export type ChunkRows = { chunks: readonly Chunk[]; numbers: RowNumbers; people: CurrentPeople }

export function toChunkRows({ rows, merges }: RawRows): ChunkRows {
  const numbers = newRowNumbers()
  const chunks = [readChunk(rows, numbers)]
  return { chunks, numbers, people: currentPeople(numbers.people, merges) }
}

export function eventRowsOf(
  { texts, ...chunk }: Chunk,
  numbers: RowNumbers,
  people: CurrentPeople,
): EventRows {
  return {
    ...chunk,
    person: personsNow(chunk.person, people),
    people: people.people,
    personNumber: people.personNumber,
    ...eachText((name) => ({ texts: numbers.texts[name].texts, numbers: texts[name] })),
    sessions: numbers.sessions.size,
    currencies: numbers.texts.currency.texts,
  }
}

/** Who is who after all merges. */
export type CurrentPeople = Pick<EventRows, 'people' | 'personNumber'> & {
  /** The number of today by the number that the events have; null where no one was merged. */
  current: Int32Array | null
}

const mergeBytes = 16

/** Events of a merged person get the number of the current person, who may have no event here. */
export function currentPeople(keys: KeyNumbers, merges: Uint8Array<ArrayBuffer> | null): CurrentPeople {
  const people = keys.size
  if (merges === null) return { people, current: null, personNumber: (low, high) => keys.find(low, high) }
  const view = new DataView(merges.buffer, merges.byteOffset, merges.byteLength)
  const absent = new KeyNumbers()
  const current = Int32Array.from({ length: people }, (_, number) => number)
  for (let at = 0; at < merges.byteLength; at += mergeBytes) {
    const original = keys.find(view.getUint32(at, true), view.getUint32(at + 4, true))
    if (original === -1) continue
    const [low, high] = [view.getUint32(at + 8, true), view.getUint32(at + 12, true)]
    const known = keys.find(low, high)
    current[original] = known === -1 ? people + absent.take(low, high) : known
  }
  const personNumber = (low: number, high: number): number => {
    const known = keys.find(low, high)
    if (known !== -1) return known
    const place = absent.find(low, high)
    return place === -1 ? -1 : people + place
  }
  return { people: people + absent.size, current, personNumber }
}

export function personsNow(person: Int32Array, { current }: Pick<CurrentPeople, 'current'>): Int32Array {
  if (current === null) return person
  const now = new Int32Array(person.length)
  for (let row = 0; row < now.length; row += 1) {
    const number = person[row] ?? -1
    now[row] = number === -1 ? -1 : (current[number] ?? number)
  }
  return now
}
