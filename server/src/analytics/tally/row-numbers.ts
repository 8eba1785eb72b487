import { KeyNumbers } from '../sequences/key-numbers.ts'
import { textColumns } from './row-store.ts'

export type TextName = (typeof textColumns)[number] | 'currency'

/** Gives each text a number, in order of appearance. */
export class TextNumbers {
  // bounded: by the rows that are read.
  readonly #places = new Map<string, number>()
  readonly texts: string[] = []
  #characters = 0

  constructor(texts: readonly string[] = []) {
    for (const text of texts) this.take(text)
  }

  /** What the texts take in memory, about. */
  get bytes(): number {
    return this.#characters * 2 + this.texts.length * textBytes
  }

  take(text: string): number {
    const known = this.#places.get(text)
    if (known !== undefined) return known
    this.#places.set(text, this.texts.length)
    this.#characters += text.length
    return this.texts.push(text) - 1
  }
}

/** Of an entry in the table, with the head of the text. */
const textBytes = 80

/** The numbers of sessions, people and texts, for all rows that are counted together. */
export type RowNumbers = {
  sessions: KeyNumbers
  /** As the events have them, before merges. */
  people: KeyNumbers
  texts: Readonly<Record<TextName, TextNumbers>>
}

export function newRowNumbers(): RowNumbers {
  const texts = [...textColumns, 'currency' as const].map((name) => [name, new TextNumbers()] as const)
  return {
    sessions: new KeyNumbers(),
    people: new KeyNumbers(),
    // boundary: one for each name of the list.
    texts: Object.fromEntries(texts) as Record<TextName, TextNumbers>,
  }
}
