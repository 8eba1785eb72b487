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

export function toEventRows({ rows, merges }: RawRows): EventRows {
  const numbers = newRowNumbers()
  return eventRowsOf(readChunk(rows, numbers), numbers, merges)
}

export function eventRowsOf(
  { texts, ...chunk }: Chunk,
  numbers: RowNumbers,
  merges: Uint8Array<ArrayBuffer> | null,
): EventRows {
  const { people: keys } = numbers
  const people = {
    person: chunk.person,
    people: keys.size,
    personNumber: (low: number, high: number) => keys.find(low, high),
  }
  return {
    ...chunk,
    ...(merges === null ? people : merged(chunk.person, keys, merges)),
    ...eachText((name) => ({ texts: numbers.texts[name].texts, numbers: texts[name] })),
    sessions: numbers.sessions.size,
    currencies: numbers.texts.currency.texts,
  }
}

const mergeBytes = 16

/** Events of a merged person get the number of the current person, who may have no event here. */
function merged(
  person: Int32Array,
  people: KeyNumbers,
  merges: Uint8Array<ArrayBuffer>,
): Pick<EventRows, 'person' | 'people' | 'personNumber'> {
  const view = new DataView(merges.buffer, merges.byteOffset, merges.byteLength)
  const absent = new KeyNumbers()
  const current = Int32Array.from({ length: people.size }, (_, number) => number)
  for (let at = 0; at < merges.byteLength; at += mergeBytes) {
    const original = people.find(view.getUint32(at, true), view.getUint32(at + 4, true))
    if (original === -1) continue
    const [low, high] = [view.getUint32(at + 8, true), view.getUint32(at + 12, true)]
    const known = people.find(low, high)
    current[original] = known === -1 ? people.size + absent.take(low, high) : known
  }
  const now = new Int32Array(person.length)
  for (let row = 0; row < person.length; row += 1) {
    const number = person[row] ?? -1
    now[row] = number === -1 ? -1 : (current[number] ?? number)
  }
  const personNumber = (low: number, high: number): number => {
    const known = people.find(low, high)
    if (known !== -1) return known
    const place = absent.find(low, high)
    return place === -1 ? -1 : people.size + place
  }
  return { person: now, people: people.size + absent.size, personNumber }
}
